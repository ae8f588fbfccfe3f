/** The hot spots as a list of folders and files, those with the most people first. A click on one shows its activities. */
import { memo } from 'preact/compat'
import { AgentIcon, Avatar, Avatars } from './avatar.tsx'
import { type HotFile, type HotFolder, stripOf } from './hot-spots.ts'
import { nameOf } from './live-work.ts'
import { RecordLink } from './record-link.tsx'
import { StripAxis, StripTrack, stripLines } from './strip.tsx'
import { changeView } from './use-address.ts'
import { Limited } from './you.tsx'

const FOLDERS_MAX = 6

interface Props {
  folders: HotFolder[]
  /** The path whose activities are shown. */
  chosen: string | null
  reader: string | null
}

export const HotSpots = memo(({ folders, chosen, reader }: Props) => {
  if (folders.length === 0) return <p class="all-clear">No file or folder has two people in it.</p>
  const most = folders.reduce((max, { people }) => Math.max(max, people.length), 2)
  const ordered =
    chosen === null
      ? folders
      : folders.toSorted((a, b) => Number(holds(b, chosen)) - Number(holds(a, chosen)))
  return (
    <Limited items={ordered} max={FOLDERS_MAX}>
      {(folder) => (
        <li key={folder.path} class="hot-folder">
          <Heat
            spot={folder}
            name={folder.path === '/' ? 'root of the repository' : folder.path}
            {...{ most, chosen }}
          />
          {folder.files.length > 0 && (
            <Limited items={folder.files} max={4}>
              {(file) => (
                <li key={file.path} class="hot-file">
                  <Heat
                    spot={file}
                    name={file.path.slice(folder.path === '/' ? 0 : folder.path.length)}
                    {...{ most, chosen }}
                  />
                  {chosen === file.path && <FileActivities file={file} reader={reader} />}
                </li>
              )}
            </Limited>
          )}
        </li>
      )}
    </Limited>
  )
})

function holds({ path, files }: HotFolder, chosen: string): boolean {
  return path === chosen || files.some((file) => file.path === chosen)
}

interface HeatProps {
  spot: HotFile | HotFolder
  name: string
  most: number
  chosen: string | null
}

/** One line of the list. Its color and length show the number of people, and its edge the severity of their collisions. */
function Heat({ spot, name, most, chosen }: HeatProps) {
  const { path, people, severity } = spot
  const isOpen = chosen === path
  const share = people.length / most
  return (
    <button
      type="button"
      class={`heat edge-${severity ?? 'none'}`}
      data-item
      aria-expanded={isOpen}
      onClick={() => changeView({ path: isOpen ? null : path })}
    >
      <span class="heat-fill" style={{ width: `${share * 100}%`, '--share': share }} aria-hidden="true" />
      <span class="path">{name}</span>
      <Avatars people={people} />
      <span class="heat-count">
        {people.length} <span class="unseen">people</span>
        {severity && <span class="unseen">, {severity} collision</span>}
      </span>
    </button>
  )
}

function FileActivities({ file, reader }: { file: HotFile; reader: string | null }) {
  const strip = stripOf(file.activities.map(({ lines }) => lines))
  return (
    <div class="file-activities">
      <ul class="plain">
        {file.activities.map(({ activity, person, lines }, index) => (
          <li key={activity.id} class="presence line">
            <Avatar person={person} />
            <RecordLink id={activity.id}>{activity.title}</RecordLink>
            <span class="soft">
              {person.name} {nameOf(activity)} <AgentIcon agent={activity.agent} />
            </span>
            <span class="strip-row">
              <StripTrack
                ranges={strip?.ranges[index] ?? []}
                side={person.key === reader ? 'mine' : 'theirs'}
              />
              <span class="strip-lines">{stripLines(lines)}</span>
            </span>
          </li>
        ))}
      </ul>
      {strip && <StripAxis {...strip} />}
      {strip && <p class="hint">Line numbers are those of each side’s own base, as in its pull request.</p>}
    </div>
  )
}
