import { describe, expect, it } from 'vitest';
import { recognize } from '../../../../src/program/commands/capture/replay.ts';

const inputOf = (text: string) => recognize(text, 1_800_000_000)?.sections[0]?.input;

describe('the manager of a text', () => {
  it.each([
    'User/host not authorized. (-16,1)',
    'Cannot write: Permission denied',
    'No license files found',
    'Error connecting to "rlm" server',
    'Unknown host',
    'Authentication failed',
  ])('of a FlexNet debug log is FlexNet, although RLM has the same words: %s', (words) => {
    for (const time of ['10:01:02', ' 1:01:02', '2026-11-18T10:01:02+01:00', '2026-11-18 10:01:02'])
      expect([time, inputOf(`${time} (vend) DENIED: "cad" anna@ws1  (${words})\n`)]).toEqual([time, 'log']);
    expect(inputOf(`${words.replace(/ \(.*/, '')}\n`)).toBe('rlmstat');
  });
});
