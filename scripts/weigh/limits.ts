/** How heavy the project may be. A limit goes down when something leaves; raising one needs a reason in the commit. */
export const LIMITS: Record<string, number> = {
  'lines of src': 44_500,
  'lines of test': 43_700,
  'lines of scripts': 7_500,
  'words of docs': 34_000,
  tables: 16,
  migrations: 1,
  'files run by POST /activity, alone': 79,
  'files run by POST /activity, with an overlap': 83,
  'files run by POST /activity/check': 66,
  'files run by GET /overlaps': 56,
  'files run by pull_request.opened, until its comment': 104,
  'files run by a push of the settings, with two open pull requests': 98,
}
