/** Random tests use the same values in every ordinary run; `TEST_SEED=random npm test` varies them and prints the seed. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED) })
