import { describe, expect, it } from 'vitest';
import { csvParts } from '../../../src/base/model/csv-text.ts';

const ESC = '\u001b';
const NUL = '\u0000';

/** The text of a cell in the middle of a row. */
function written(value: string | number | boolean | null): string {
  const text = [...csvParts(['before', 'value', 'after'], [['x', value, 'y']])].join('');
  const [, cell = ''] = /^\uFEFFbefore,value,after\r\nx,(.*),y\r\n$/s.exec(text) ?? [];
  return cell;
}

describe('a cell of a CSV file', () => {
  it.each([
    ['a text', 'solver', 'solver'],
    ['a number', -1.5, '-1.5'],
    ['nothing', null, ''],
    ['a separator', 'lic01;d', '"lic01;d"'],
    ['a quote', 'the "big" one', '"the ""big"" one"'],
    ['lines', 'a\r\nb\nc', '"a\r\nb\nc"'],
    ['a tab', 'a\tb', '"a\tb"'],
    ['a formula', '=1+1', "'=1+1"],
    ['a formula after a line end', '\n=1+1', `"'\n=1+1"`],
    ['a command for a terminal', `a${ESC}]0;x\u0007b`, '"a\uFFFD]0;x\uFFFDb"'],
    ['NUL', `a${NUL}b`, 'a\uFFFDb'],
    ['DEL and controls of 8 bits', 'a\u007f\u009b1mb', 'a\uFFFD\uFFFD1mb'],
    ['a control character before a formula', `${NUL}=1+1`, '\uFFFD=1+1'],
    ['other alphabets', 'Größe 東京', 'Größe 東京'],
  ])('with %s', (_, value, text) => {
    expect(written(value)).toBe(text);
  });

  it('of the header has no control character either', () => {
    expect([...csvParts([`a${ESC}b`], [])]).toEqual(['\uFEFFa\uFFFDb\r\n']);
  });
});
