import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { randomRlmSite } from '../../../support/license-site/random-rlm-site.ts';
import { renderRlmstat } from '../../../support/license-site/render-rlmstat.ts';
import { head, isv, observe } from './reading.ts';

/** Any text gives an observation or a failure, in linear time. */

const utc = createLocalTime('UTC');
const MEGABYTE = 2 ** 20;

const pool = '	paint v3.1\n		count: 5, # reservations: 0, inuse: 1, exp: permanent';
const sample =
  head('	acme 49152 Yes 0', '	zeta 0 No 0') +
  isv(
    'acme',
    pool,
    '	paint v3.1: a@h 1/0 at 03/02 20:41  (handle: 1) \n	test3 v1.000: tom@sun1(v1.0) (809f) 1/0 at 02/06 09:59',
  );
const pieces = [
  ...new Set([...sample.split(/\s+/), '@', ': ', '\n', '\t', '(', ')', ',', '-----', '\u0000', '💥', '1/0 at']),
];

function expectReadable(text: string): void {
  try {
    observe(text, { now: 1 });
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
  }
}

describe('any text', () => {
  it('of any characters is read', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectReadable));
  });

  it('of pieces of an output is read', () => {
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((words) => words.join(' '));
    fc.assert(fc.property(text, (words) => expectReadable(words) ?? expectReadable(words.replaceAll('\n ', '\n'))));
  });

  it('that is cut anywhere is read', () => {
    for (let end = 0; end <= sample.length; end += 1) expectReadable(sample.slice(0, end));
    fc.assert(
      fc.property(randomRlmSite, fc.double({ min: 0, max: 1, noNaN: true }), (site, part) => {
        const text = renderRlmstat(site, utc);
        expectReadable(text.slice(0, Math.floor(text.length * part)));
      }),
    );
  });

  it('with its lines in another order is read', () => {
    const lines = sample.split('\n');
    fc.assert(fc.property(fc.shuffledSubarray(lines), (some) => expectReadable(some.join('\n'))));
  });
});

// more than linear time in a megabyte is more than the test has
describe('a text of a megabyte', () => {
  const inUsage = `${sample}\n`;
  const inPools = sample.slice(0, sample.indexOf('paint v3.1: a'));
  const repeated = (part: string): string => part.repeat(Math.ceil(MEGABYTE / part.length)).slice(0, MEGABYTE);

  // 4,000 characters a line is the longest that patterns run over
  const parts = [
    '(',
    ' ',
    '\t',
    '@',
    ': ',
    ' v',
    ' 1/0',
    ' 1/0 at ',
    'a v1: ',
    '(handle: ',
    '-',
    ',',
    'count: 1, ',
    '9',
    '(v',
    'x',
    'error connecting to "',
  ];
  const lines = parts.map(
    (part) => [JSON.stringify(part), part.repeat(Math.ceil(4000 / part.length)).slice(0, 4000)] as const,
  );

  it.each(lines)('of lines of %s is read in linear time', (_, long) => {
    const variants = [
      repeated(long),
      repeated(`${long}\n`),
      repeated(`	paint v3.1: ${long.slice(0, 3900)} 1/0 at 03/02 20:41\n`),
    ];
    for (const variant of variants) {
      for (const before of [inUsage, inPools]) {
        expectReadable(before + variant);
      }
    }
  });
});
