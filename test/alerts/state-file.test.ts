import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AlertState } from '../../src/alerts/alert.ts';
import { createStateFile } from '../../src/alerts/state-file.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { createHangingFile } from './hanging-file.ts';

const cleanup = createCleanup();
afterEach(() => {
  vi.useRealTimers();
  return cleanup.run();
});

const AT = 1_800_000_000;
const pending: AlertState = {
  rule: 'LicenseFeatureSaturated/warning',
  labels: { alertname: 'LicenseFeatureSaturated', feature: 'größe "x"' },
  annotations: { summary: 's' },
  value: 0.97,
  state: 'pending',
  activeAt: AT - 60,
  firedAt: undefined,
  keepFiringSince: undefined,
  resolvedAt: undefined,
  knownAt: AT - 1.5,
  unknownSince: undefined,
  sentAt: undefined,
};
const firing: AlertState = {
  ...pending,
  labels: { alertname: 'b' },
  value: undefined,
  state: 'firing',
  firedAt: AT - 30,
  keepFiringSince: AT - 10,
};
const resolved: AlertState = {
  ...pending,
  labels: { alertname: 'c' },
  state: 'resolved',
  firedAt: AT - 30,
  resolvedAt: AT,
};

function start(path?: string, analyzer = 'lic:443') {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-state-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = path ?? join(folder, 'state/alert-state.json');
  const problems: string[] = [];
  return { file, problems, state: createStateFile(file, analyzer, (problem) => problems.push(problem)) };
}

describe('the file of alerts', () => {
  it('gives back what was saved, for its owner alone', async () => {
    const { file, state, problems } = start();
    expect(state.load()).toBeUndefined();
    await state.save({ savedAt: AT, alerts: [{ ...pending, sentAt: AT }, firing, resolved] });
    expect(state.load()).toEqual({ savedAt: AT, alerts: [pending, firing, resolved] });
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(problems).toEqual([]);
    // alerts of another analyzer are ignored
    expect(createStateFile(file, 'other:443', () => {}).load()).toBeUndefined();
  });

  it('is replaced whole, by one after the other', async () => {
    const { file, state, problems } = start();
    const saves = Array.from({ length: 20 }, (_, i) =>
      state.save({ savedAt: AT + i, alerts: [{ ...pending, value: i }] }),
    );
    await Promise.all(saves);
    expect(state.load()?.alerts[0]?.value).toBe(19);
    expect(existsSync(`${file}.${process.pid}.tmp`)).toBe(false);
    expect(problems).toEqual([]);
  });

  it.each([
    ['nothing', '', 'Unexpected end of JSON input'],
    [
      'half of it',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00.000Z","alerts":[{"ru',
      'Unterminated string',
    ],
    ['another version', '{"v":2}', 'not a file of alerts'],
    ['null', 'null', 'Cannot read properties of null'],
    ['no alert', '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[7]}', 'not an alert'],
    [
      'no time',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[{"rule":"r","state":"pending","labels":{},"annotations":{},"value":1,"activeAt":"soon"}]}',
      'activeAt is not a time',
    ],
    [
      'a firing alert that never fired',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[{"rule":"r","state":"firing","labels":{},"annotations":{},"value":1,"activeAt":"2027-01-15T08:00:00Z","knownAt":"2027-01-15T08:00:00Z"}]}',
      'a time is missing',
    ],
    [
      'invalid labels',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[{"rule":"r","state":"pending","labels":{"a":1},"annotations":{},"value":1}]}',
      'not an alert',
    ],
  ])('that holds %s is not used, and reported as damaged', (_, content, reason) => {
    const { file, state, problems } = start();
    mkdirSync(join(file, '..'));
    writeFileSync(file, content);
    expect(state.load()).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${file} is damaged (`);
    expect(problems[0]).toContain(reason);
    expect(problems[0]).toMatch(/is not used; remove it$/);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('that cannot be written or read is reported', async () => {
    const { file, state, problems } = start('/proc/license-exporter/alert-state.json');
    await state.save({ savedAt: AT, alerts: [] });
    expect(problems).toEqual([
      `${file} cannot be written (ENOENT); a restart may send alerts twice; check storage.path`,
    ]);
    const folder = start(tmpdir());
    expect(folder.state.load()).toBeUndefined();
    expect(folder.problems).toEqual([`${tmpdir()} cannot be read (EISDIR); check its owner and mode`]);
  });

  it('on a disk that hangs is waited for once, and is written when the disk is back', async () => {
    const hanging = createHangingFile(cleanup);
    const { state, problems } = start(hanging.path);
    vi.useFakeTimers();
    const first = state.save({ savedAt: AT, alerts: [] });
    await vi.advanceTimersByTimeAsync(4999);
    expect(problems).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await first;
    const reported = `${hanging.path} is not written after 5 s; alerts are sent without it; check the disk of storage.path`;
    expect(problems).toEqual([reported]);
    // no timer is running: these do not wait
    await state.save({ savedAt: AT + 1, alerts: [firing] });
    await state.save({ savedAt: AT + 2, alerts: [pending] });
    vi.useRealTimers();
    expect(problems).toEqual([reported]);
    hanging.release();
    await eventually('the newest alerts are written', () => state.load()?.savedAt === AT + 2);
    expect(state.load()?.alerts).toEqual([pending]);
  });
});
