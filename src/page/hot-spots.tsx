/** The folders with the most people. A click on one filters by it. */
import { Avatars } from './avatar.tsx'
import type { HotFolder } from './hot-spots.ts'
import { Limited } from './limited.tsx'
import { changeView } from './use-address.ts'

const FOLDERS_MAX = 5

/** `chosen`: the path of the filter. */
export function HotSpots({ folders, chosen }: { folders: HotFolder[]; chosen: string | null }) {
  if (folders.length === 0) return null
  return (
    <section class="card hot-spots" aria-labelledby="hot-heading">
      <h2 id="hot-heading">Hot folders</h2>
      <Limited items={folders} max={FOLDERS_MAX}>
        {({ path, people, severity }) => (
          <li key={path} class={`edge-${severity ?? 'none'}`}>
            <button
              type="button"
              class="link path"
              data-item
              aria-pressed={chosen === path}
              onClick={() => changeView({ path: chosen === path ? null : path })}
            >
              {path}
            </button>
            <Avatars people={people} />
            <span class="soft">
              {people.length} <span class="unseen">people</span>
            </span>
          </li>
        )}
      </Limited>
    </section>
  )
}
