import { describe, expect, it } from 'vitest';
import { logfmtOf } from '../../../src/program/log/log-fields.ts';

const head = { time: 't', level: 'info', msg: 'a"b\nc' };

describe('a line in logfmt', () => {
  it('begins with time, level and message, and quotes what needs it', () => {
    const line = {
      level: 'warn',
      time: '2026-11-24T06:00:00.000Z',
      kind: 'tls',
      seconds: 0.5,
      empty: '',
      msg: 'it is',
    };
    expect(logfmtOf(line)).toBe('time=2026-11-24T06:00:00.000Z level=warn msg="it is" kind=tls seconds=0.5 empty=""\n');
  });

  it('is one line with any text, and a name ends where it is meant to', () => {
    const line = { ...head, x: 'a=b', 'y z=': '\u001b[0m' };
    expect(logfmtOf(line)).toBe('time=t level=info msg="a\\"b\\nc" x="a=b" y_z_="\\u001b[0m"\n');
  });

  it('has lists as one text, and members of objects with the names of both', () => {
    const fields = { ...head, names: ['a', 'b c'], counts: { 'A firing': 2 }, list: [{ a: 1 }] };
    expect(logfmtOf(fields)).toBe(
      'time=t level=info msg="a\\"b\\nc" names="a, b c" counts.A_firing=2 list="[{\\"a\\":1}]"\n',
    );
  });
});
