/** Replaces `dist/server/overlap/check.js`: finds no overlap at once. */
const NO_OVERLAP = {
  checked: 'proposal',
  branch: null,
  emptiness: null,
  expected: new Map(),
  other_base: [],
  collisions: [],
  notables: [],
  noise: [],
  merged: [],
  done_by: null,
  total_related: 0,
  cut: 0,
  checked_against: { activities: 0, notables: 0, as_of: '2026-01-31T09:30:00.000Z', complete: true },
}
const BRIEF = { overlap_detected: false, severity: null, related_activity_ids: [], matches: [] }

async function noOverlap() {
  return NO_OVERLAP
}

export { noOverlap as checkActivities, noOverlap as checkProposal }

export async function overlapBriefOf() {
  return BRIEF
}

export async function findAffected() {
  return []
}
