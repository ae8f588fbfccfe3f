/** How much of other people's work a text shows. Further items are counted. */

/** Other pull requests or activities in a comment, in a warning to an agent, and below each activity of a list. */
export const OTHERS_SHOWN_MAX = 3
/** Files of one overlap. */
export const FILES_SHOWN_MAX = 3
/** Pull requests of the merge order on the page. */
export const MERGE_ORDER_SHOWN_MAX = 20
/** The length of a title within a sentence. */
export const TITLE_SHOWN_MAX = 50
