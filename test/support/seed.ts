/** Of everything in the tests that is random: the same in every run. `TEST_SEED` is another integer to explore with. */
export const seed = Number(process.env.TEST_SEED ?? 1);
