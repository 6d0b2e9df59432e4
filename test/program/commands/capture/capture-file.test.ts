import { describe, expect, it } from 'vitest';
import {
  type CaptureSection,
  isCapture,
  readCapture,
  writeCapture,
} from '../../../../src/program/commands/capture/capture-file.ts';

const header = {
  manager: 'flexnet',
  via: 'command',
  time: 1_800_000_000,
  timeZone: 'Europe/Berlin',
  servers: ['27000@s01', '27000@s02'],
  daemons: ['vend'],
  split: 'longest',
  lingerAtLeast: 60,
  interval: 300,
} as const;

const sections: readonly CaptureSection[] = [
  {
    input: 'lmstat',
    stream: 'stdout',
    exitCode: 241,
    at: 1_800_000_001,
    text: 'a\n\n== stdout of x ==\n\\== y\r\n  b\n',
  },
  { input: 'lmstat', stream: 'stderr', exitCode: 241, at: 1_800_000_001, text: '' },
  { input: 'options', stream: 'text', of: 'vend', at: 1_800_000_001, text: '\nlast\n' },
  { input: 'inventory', stream: 'failure', text: 'timeout' },
];

describe('a capture file', () => {
  it('is read as it was written', () => {
    const text = writeCapture({ header, sections }, ['A remark: with a colon']);
    expect(isCapture(text)).toBe(true);
    const capture = readCapture(text);
    expect(capture.header).toEqual(header);
    expect(capture.sections.map(({ line: _, ...section }) => section)).toEqual(
      sections.map((one) => ({ of: undefined, exitCode: undefined, at: undefined, ...one })),
    );
    const lines = text.split('\n');
    expect(capture.sections.map(({ line }) => lines[line - 1])).toEqual(['a', '', '', 'timeout']);
  });

  it('of another version is refused', () => {
    expect(isCapture('license-exporter capture 2\n')).toBe(true);
    expect(() => readCapture('license-exporter capture 2\n')).toThrow('another version');
    expect(() => readCapture('license-exporter capture 1\nmanager: x\n')).toThrow('no manager');
    expect(isCapture('lmutil - Copyright')).toBe(false);
  });
});
