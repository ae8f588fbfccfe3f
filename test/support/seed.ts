/** Random tests draw the same values in every ordinary run; `TEST_SEED=random npm test` draws others, and prints how to repeat them. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED) })
