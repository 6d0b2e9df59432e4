import fc from 'fast-check';

/**
 * In front of every file: what is random is the same in every run, so that a failure can be seen again. `TEST_SEED` is
 * another integer to explore with; a failure names the seed it came from.
 */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
