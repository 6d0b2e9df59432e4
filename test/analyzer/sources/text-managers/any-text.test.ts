import fc from 'fast-check';
import { describe, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { renderTexts } from '../../../support/license-site/render-texts.ts';
import { sourceSettings } from '../../../support/source-settings.ts';
import { published, textManagers } from './published.ts';

/** Any text gives an observation or a failure, in linear time. */

const now = 1_800_000_000;
const MEGABYTE = 2 ** 20;

describe.each(textManagers)('%s', (manager) => {
  const rendered = renderTexts[manager](createLargeSite({ features: 4, users: 3, now }))[0][1];
  const samples = [rendered, ...Object.values(published[manager])];

  const expectReadable = (stdout: string): void => {
    const output = { stdout, stderr: '', exitCode: 0, at: now };
    const more = { server: '27000@lic1', memory: undefined };
    try {
      managerCodes[manager].read({ settings: sourceSettings({ manager }), via: 'file', now, output, more });
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
    }
  };

  it('reads any characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectReadable));
  });

  it('reads bytes within its own text', () => {
    const bytes = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        bytes,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (text, some, part) => {
          const at = Math.floor(text.length * part);
          expectReadable(text.slice(0, at) + some + text.slice(at));
          expectReadable(text.slice(0, at) + some + text.slice(at + some.length));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads pieces of its text', () => {
    const pieces = [
      ...new Set(samples.join('\n').split(/\s+/)),
      '\n',
      '\t',
      '"',
      '<',
      '>',
      ',',
      ':',
      '|- ',
      '\u0000',
      '💥',
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((words) => words.join(' '));
    fc.assert(fc.property(text, (words) => expectReadable(words) ?? expectReadable(words.replaceAll('\n ', '\n'))));
  });

  it('reads a text that is cut anywhere', () => {
    for (const text of samples) for (let end = 0; end <= text.length; end += 1) expectReadable(text.slice(0, end));
  });

  it('reads lines in another order', () => {
    for (const text of samples)
      fc.assert(fc.property(fc.shuffledSubarray(text.split('\n')), (some) => expectReadable(some.join('\n'))));
  });

  // more than linear time in a megabyte is more than the test has; 4,000 characters a line is the longest that patterns run over
  it.each([
    '(',
    ' ',
    '\t',
    '@',
    ': ',
    ',',
    '"',
    '<',
    '<A ',
    '="',
    '9',
    '1/1/2000 ',
    ' | ',
    '|- a : ',
    'a=1 ',
    'count: ',
    'x',
  ])('reads a megabyte of %j in linear time', (part) => {
    const long = part.repeat(Math.ceil(4000 / part.length)).slice(0, 4000);
    for (const text of samples) {
      const [first = ''] = text.split('\n').filter((line) => line.trim() !== '');
      for (const line of [long, `${long}\n`, `${first} ${long.slice(0, 3900)}\n`])
        expectReadable(text + line.repeat(Math.ceil(MEGABYTE / line.length)).slice(0, MEGABYTE));
    }
  });
});
