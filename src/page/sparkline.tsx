/** A small chart of how many activities began on each day. */

const BAR_PX = 5
const HEIGHT_PX = 20

export function Sparkline({ counts }: { counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  const total = counts.reduce((sum, each) => sum + each, 0)
  const text = `Activities started in ${counts.length} days: ${total}`
  return (
    <svg
      class="sparkline"
      width={counts.length * BAR_PX}
      height={HEIGHT_PX}
      viewBox={`0 0 ${counts.length * BAR_PX} ${HEIGHT_PX}`}
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      {counts.map((count, day) => {
        const height = Math.max(1, (count / most) * HEIGHT_PX)
        return <rect key={day} x={day * BAR_PX} y={HEIGHT_PX - height} width={BAR_PX - 1} height={height} />
      })}
    </svg>
  )
}
