/** The overview: the repositories that were opened last. */
import { recentNames } from './recent.ts'

export function Overview() {
  const names = recentNames()
  return (
    <section class="card welcome">
      <h1>Who is working on what, now?</h1>
      <p>Enter a repository above, as owner/repository.</p>
      {names.length > 0 && (
        <ul>
          {names.map((each) => (
            <li key={each}>
              <a href={`#/${each}`}>{each}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
