/** How many items a page of GitHub's lists has, and where GitHub cuts a list. */

export interface ListLimits {
  /** Items of a page. */
  page: number
  /** Changed files of a pull request. */
  files: number
  /** Changed files of a comparison of two branches. */
  compared_files: number
}

/** Those of github.com and Enterprise Server. Tests start the service with smaller ones, to reach the end of a list with few items. */
export const LIST_LIMITS: ListLimits = { page: 100, files: 3000, compared_files: 300 }
