import fc from 'fast-check';
import { describe, it } from 'vitest';
import { parseLmstatInventory } from '../../../../src/analyzer/sources/flexnet/lmstat-inventory.ts';
import { noMemory, observeFlexnet } from '../../../../src/analyzer/sources/flexnet/observe.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { feature, HEAD, NOW, parse, settings, utc } from './samples.ts';

/** Any text gives an observation or a failure, in linear time. */

const sample = `${HEAD}${feature(
  'solver',
  20,
  9,
  '3 RESERVATIONs for GROUP g (lic1/27000)',
  'ada pc-1 :0 (v4.0) (lic1/27000 1204), start Tue 3/17 9:05, 5 licenses  (linger: 12 / 3600), PID: 7',
  'eve Lake pc-9 odd :0 4.0 (v4.0) (lic1/27000 9) queued for 3 licenses',
)}
Users of a:  (Uncounted, node-locked)
Users of b:  (Error: 5 licenses, unsupported by licensed server)
Users of c: Cannot get users of c: No such feature exists. (-5,222)
   zeta: The desired vendor daemon is down. (-97,121)
lic3: Cannot connect to license server system. (-15,570:115 "Operation now in progress")
Feature  Version  #licenses  Expires  Vendor
solver   4.2      5          permanent(no expiration date)  acme
`;
const lines = sample.split('\n');
const pieces = [...new Set([...sample.split(/(?<=[\s(),:/"])/), '\n', '\u0000', '💥', '(', ')'])];
const MEGABYTE = 2 ** 20;

function read(text: string): void {
  const report = parse(text);
  parseLmstatInventory(text, { localTime: utc });
  try {
    observeFlexnet({ report, settings, memory: noMemory, output: { at: NOW, isCommand: true } });
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
  }
}

describe('any text', () => {
  it('of any characters is read', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), read));
  });

  it('is read wherever it is cut', () => {
    fc.assert(fc.property(fc.nat(sample.length), fc.nat(sample.length), (from, to) => read(sample.slice(from, to))));
  });

  it('is read in any order of lines', () => {
    fc.assert(fc.property(fc.shuffledSubarray(lines), (some) => read(some.join('\n'))));
  });

  it('of pieces of an output is read', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 80 }), (some) => read(some.join(''))));
  });

  // more than linear time in a megabyte is more than the test has
  const user = '(v4.0) (lic1/27000 1204), start Tue 3/17 9:05';
  it.each([
    ['brackets', '('.repeat(MEGABYTE)],
    ['blanks', ' '.repeat(MEGABYTE)],
    ['ends of user lines', ') ('.repeat(MEGABYTE / 3)],
    ['versions', '(v1) '.repeat(MEGABYTE / 5)],
    ['colons', ': ('.repeat(MEGABYTE / 3)],
    ['lines of brackets', `${') (v'.repeat(1000)}\n`.repeat(MEGABYTE / 4001)],
    ['lines of blanks', `x${' '.repeat(4000)}x\n`.repeat(MEGABYTE / 4003)],
    ['lines of users with many words', `${'a '.repeat(2000)}${user}\n`.repeat(MEGABYTE / 4046)],
    ['lines of tails', `ada pc-1 :0 ${user}${', (x'.repeat(900)}\n`.repeat(MEGABYTE / 3660)],
    ['lines of errors', `a: ${'(-1'.repeat(1300)}\n`.repeat(MEGABYTE / 3904)],
    ['features', 'Users of a:  (Total of 2 licenses issued;  Total of 1 license in use)\n'.repeat(MEGABYTE / 70)],
    ['names of features', `Users of ${': (Total of 1 '.repeat(310)}\n`.repeat(MEGABYTE / 4040)],
    ['daemons', Array.from({ length: MEGABYTE / 14 }, (_, at) => `d${at}: UP v11\n`).join('')],
  ])('of a megabyte of %s is read in linear time', (_, text) => {
    read(text);
    read(HEAD + feature('solver', 5, 1, text));
  });
});
