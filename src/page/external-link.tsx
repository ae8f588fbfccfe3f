/** A link to another site, in a new tab. */

interface Props {
  url: string
  /** Defaults to the address. */
  text?: string
  className?: string
}

/** A link, if the address is an http address: an old record may contain any text. */
export function ExternalLink({ url, text = url.replace(/^https?:\/\//, ''), className }: Props) {
  if (!/^https?:\/\//.test(url)) return <>{text}</>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" class={className}>
      {text}
    </a>
  )
}
