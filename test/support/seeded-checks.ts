import fc from 'fast-check';
import { cases, isLong } from './extent.ts';
import { seed } from './seed.ts';

/** Runs before every test file, so that a failed property test can be reproduced; those that say no number of runs have a few. */
fc.configureGlobal({ seed, numRuns: isLong ? 100 : cases(30) });
