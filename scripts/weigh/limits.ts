/** How heavy the project may be. A limit goes down when something leaves; raising one needs a reason in the commit. */
export const LIMITS: Record<string, number> = {
  'lines of src': 43_831,
  'lines of test': 41_921,
  'lines of scripts': 7_030,
  'words of docs': 33_420,
  tables: 16,
  migrations: 1,
  'files run by POST /activity, alone': 64,
  'files run by POST /activity, with an overlap': 68,
  'files run by POST /activity/check': 56,
  'files run by GET /overlaps': 48,
  'files run by pull_request.opened, until its comment': 93,
  'files run by a push of the settings, with two open pull requests': 88,
}

/** The tools of MCP. One that is not listed here is above its limit. */
export const TOOLS: Record<string, number> = {
  'tokens of the tool check_overlap': 289,
  'tokens of the tool start_work': 318,
  'tokens of the tool update_work': 318,
  'tokens of the tool heartbeat': 94,
  'tokens of the tool reserve_number': 111,
  'tokens of the tool finish_work': 116,
  'tokens of the tool list_work': 132,
  'tokens of the tool merge_order': 89,
  'tokens of the tool list_notables': 151,
  'tokens of the tool post_notable': 272,
  'tokens of the tool show_record': 91,
}
