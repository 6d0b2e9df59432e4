import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { managerNames } from '../../../../src/analyzer/sources/managers.ts';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import { readCapture } from '../../../../src/program/commands/capture/capture-file.ts';
import { recognize, replay } from '../../../../src/program/commands/capture/replay.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { renderLmstat } from '../../../support/license-site/render-lmstat.ts';
import { capture, sectionOf } from './captured.ts';

/** No text makes a capture fail or slow. */

const kinds = managerNames.flatMap((manager) =>
  Object.keys(managerCodes[manager].texts).map((input) => ({ manager, input })),
);
const words = [
  '"',
  '\\',
  '==',
  'Users of ',
  'x: ',
  '(v1.0) (a/1 2), start ',
  '1.2.3.4',
  '::',
  'FEATURE ',
  '=',
  '\n',
  'é',
  '@',
];
const linesIn = (text = ''): number => text.split('\n').length;

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })), { maxLength: 60 })
    .map((all) => all.join('')),
);

describe('any text', () => {
  it('becomes a capture with as many lines, which is read again and tried', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...kinds), (text, { manager, input }) => {
        const { file, texts } = capture([sectionOf(input, text)], { manager });
        if (input !== 'document') expect(linesIn(texts[0])).toBe(linesIn(text));
        const { unread } = replay(readCapture(file));
        const lines = file.split('\n').length;
        expect(unread.filter(({ line }) => line < 1 || line > lines)).toEqual([]);
        recognize(text, 1_800_000_000);
      }),
    );
  });

  const parts = [
    '(',
    ' ',
    'a',
    '1',
    '.',
    ':',
    '1.',
    'a.',
    '::',
    'a:',
    '-',
    '"',
    '\\',
    'a@',
    '\\a',
    '1/',
    'é',
    '\n',
    'a\n',
  ];
  it.each(parts)('of many %j takes linear time', (part) => {
    const text = part.repeat(60_000 / part.length);
    for (const { manager, input } of kinds) {
      const { texts } = capture([sectionOf(input, text)], { manager });
      if (input !== 'document') expect(linesIn(texts[0])).toBe(linesIn(text));
    }
  });

  it('of 20,000 users is a capture within seconds', () => {
    const text = renderLmstat(
      createLargeSite({ features: 200, users: 100, now: 1_800_000_000 }),
      createLocalTime('UTC'),
    );
    const { texts } = capture([sectionOf('lmstat', text)]);
    expect(linesIn(texts[0])).toBe(linesIn(text));
  });
});
