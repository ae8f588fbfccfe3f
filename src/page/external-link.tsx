/** A link to another site, in a new tab. */

/** A link, if the address is an http address: an old record may contain any text. `text` defaults to the address. */
export function ExternalLink({
  url,
  text = url.replace(/^https?:\/\//, ''),
  className,
}: {
  url: string
  text?: string
  className?: string
}) {
  if (!/^https?:\/\//.test(url)) return <>{text}</>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" class={className}>
      {text}
    </a>
  )
}
