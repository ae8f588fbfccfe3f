/** Replaces `dist/overlap/check.js`: returns an empty result at once. */
const NOTHING = {
  overlap_detected: false,
  severity: null,
  summary: 'Nothing overlaps.',
  activities: [],
  notables: [],
  recommendations: [],
}

async function nothing() {
  return NOTHING
}

export {
  nothing as checkOverlap,
  nothing as examineActivities,
  nothing as overlapBriefOf,
  nothing as overlapOf,
}
