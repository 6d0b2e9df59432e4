/** The seed of all random values in tests, the same in every run. Set `TEST_SEED` to another integer to try other values. */
export const seed = Number(process.env.TEST_SEED ?? 1);
