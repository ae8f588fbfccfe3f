/** `deconflict completion SHELL`: the commands and their options, as the program has them, for a shell to complete. */
import type { Command } from 'commander'
import { CliError } from './runtime.ts'

const SCRIPTS: Record<string, (program: Command) => string> = {
  bash: bashScript,
  zsh: (program) => `autoload -Uz compinit bashcompinit && compinit && bashcompinit\n${bashScript(program)}`,
  fish: fishScript,
}

export function completionScript(program: Command, shell: string): string {
  const script = SCRIPTS[shell]
  if (!script) throw new CliError(`the shell must be one of ${Object.keys(SCRIPTS).join(', ')}, not ${shell}`)
  return script(program)
}

function bashScript(program: Command): string {
  const cases = program.commands.map(
    (each) => `    ${each.name()}) words="${each.options.map(({ long }) => long).join(' ')}" ;;`,
  )
  return `_deconflict() {
  local words="${program.commands.map((each) => each.name()).join(' ')}"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _deconflict deconflict
`
}

function fishScript(program: Command): string {
  const lines = program.commands.flatMap((each) => [
    `complete -c deconflict -n __fish_use_subcommand -f -a ${each.name()} -d ${quoted(each.description())}`,
    ...each.options.map(
      ({ long, description }) =>
        `complete -c deconflict -n '__fish_seen_subcommand_from ${each.name()}' -l ${long?.slice(2)} -d ${quoted(description)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
