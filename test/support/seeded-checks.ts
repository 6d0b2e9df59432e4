import fc from 'fast-check';
import { seed } from './seed.ts';

/** In front of every file, so that the failure of a property can be seen again. */
fc.configureGlobal({ seed });
