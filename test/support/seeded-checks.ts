import fc from 'fast-check';
import { seed } from './seed.ts';

/** Runs before every test file, so that a failed property test can be reproduced. */
fc.configureGlobal({ seed });
