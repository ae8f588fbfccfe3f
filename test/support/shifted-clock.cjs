/** Makes the clock of a process wrong by as many milliseconds as `CLOCK_MS` says, or the file that `CLOCK_FILE` names. */
const { readFileSync } = require('node:fs')
const { CLOCK_MS = '0', CLOCK_FILE } = process.env
const RealDate = globalThis.Date
const now = () => RealDate.now() + Number(CLOCK_FILE ? readFileSync(CLOCK_FILE, 'utf8') : CLOCK_MS)

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }
  static now() {
    return now()
  }
}
