import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AlertState } from '../../../src/alerting/alerts/alert.ts';
import { createStateFile } from '../../../src/alerting/alerts/state-file.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import type { Stamp } from '../../../src/base/storage/stamp.ts';
import { createCleanup, createTestLog, eventually } from '../../support/harness.ts';
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
  threshold: 5,
  ending: undefined,
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

/** What an engine saves, beside the alerts. */
const saved = <S extends object>(alerts: S) => ({ ...alerts, ends: [END], complete: ['LicenseServerDown'] });
const END = { labels: { alertname: 'd', analyzer: 'lic:443' }, at: AT - 60 };

const NOW: Stamp = { wall: AT, uptime: 5000, boot: 'b1' };

function start(path?: string, names: readonly [string, ...string[]] = ['lic:443'], stamp = NOW) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-state-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = path ?? join(folder, 'state/alert-state.json');
  const log = createTestLog();
  const writes = createFileWrites('alert-state.json', log);
  const problems = (): readonly unknown[] => log.entries.map(({ fields }) => fields.problem ?? fields.reason);
  return { file, log, writes, problems, state: createStateFile(file, names, { writes, stamp: () => stamp, log }) };
}

describe('the file of alerts', () => {
  it('gives back what was saved, for its owner alone', async () => {
    const { file, state, problems } = start();
    expect(state.load()).toBeUndefined();
    await state.save(saved({ savedAt: AT, alerts: [pending, firing, resolved] }));
    expect(state.load()).toEqual(saved({ savedAt: AT, alerts: [pending, firing, resolved], analyzer: 'lic:443' }));
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(problems()).toEqual([]);
  });

  it('is not used for another analyzer, and the log says so', async () => {
    const { file, state } = start();
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    const other = start(file, ['paris', 'other:443']);
    expect(other.state.load()).toBeUndefined();
    expect(other.log.entries).toEqual([
      {
        level: 'warn',
        message: 'saved alerts are of another analyzer and are not used',
        fields: { file, of: 'lic:443', analyzer: 'paris' },
      },
    ]);
  });

  it('is used for an analyzer that has another name now, and saved with that', async () => {
    const { file, state } = start();
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    const renamed = start(file, ['paris', 'lic:443']);
    expect(renamed.state.load()?.alerts).toEqual([firing]);
    await renamed.state.save(saved({ savedAt: AT, alerts: [firing] }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ analyzer: 'paris' });
    expect(renamed.log.entries).toEqual([]);
  });

  it.each([
    ['in the same boot', { wall: AT + 10_800 + 60, uptime: 5060, boot: 'b1' }, 10_800],
    ['in the same boot', { wall: AT - 7200 + 60, uptime: 5060, boot: 'b1' }, -7200],
    ['after a boot', { wall: AT - 7200, uptime: 30, boot: 'b2' }, -7200],
    ['after a boot', { wall: AT + 10_800, uptime: 30, boot: 'b2' }, 0],
  ])('is as old as it is although the clock was set since, %s: %j', async (_, now, by) => {
    const { file, state } = start();
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    const found = start(file, ['lic:443'], now).state.load();
    expect(found?.savedAt).toBe(AT + by);
    const [alert] = found?.alerts ?? [];
    expect([alert?.activeAt, alert?.firedAt, alert?.knownAt]).toEqual([AT - 60 + by, AT - 30 + by, AT - 1.5 + by]);
  });

  it('is replaced whole, by one after the other', async () => {
    const { file, state, problems } = start();
    const saves = Array.from({ length: 20 }, (_, i) =>
      state.save(saved({ savedAt: AT + i, alerts: [{ ...pending, value: i }] })),
    );
    await Promise.all(saves);
    expect(state.load()?.alerts[0]?.value).toBe(19);
    expect(existsSync(`${file}.${process.pid}.tmp`)).toBe(false);
    expect(problems()).toEqual([]);
  });

  it.each([
    ['nothing', '', 'it is not complete JSON'],
    [
      'half of it',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00.000Z","alerts":[{"ru',
      'it is not complete JSON',
    ],
    ['an older version', '{"v":0}', 'it has no version that there ever was'],
    ['null', 'null', 'it has no version'],
    [
      'no alert',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[7]}',
      'alerts.0: Invalid input: expected object, received number',
    ],
    [
      'no time',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[{"rule":"r","state":"pending","labels":{},"annotations":{},"value":1,"activeAt":"soon"}]}',
      'alerts.0.activeAt: not a time',
    ],
    [
      'a firing alert that never fired',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[{"rule":"r","state":"firing","labels":{},"annotations":{},"value":1,"activeAt":"2027-01-15T08:00:00Z","knownAt":"2027-01-15T08:00:00Z"}]}',
      'alerts.0: it fires, and never began',
    ],
    [
      'invalid labels',
      '{"v":1,"analyzer":"lic:443","savedAt":"2027-01-15T08:00:00Z","alerts":[{"rule":"r","state":"pending","labels":{"a":1},"annotations":{},"value":1}]}',
      'alerts.0.labels.a: Invalid input: expected string, received number',
    ],
  ])('that holds %s is set aside, and the next save makes a new one', async (_, content, reason) => {
    const { file, state, log } = start();
    mkdirSync(join(file, '..'));
    writeFileSync(file, content);
    expect(state.load()).toBeUndefined();
    const [entry] = log.entries;
    expect(entry?.message).toBe('damaged file set aside, a new one takes its place');
    expect(entry?.fields).toMatchObject({ file, reason, lost: 'a restart may send alerts twice' });
    const renamed = String(entry?.fields.renamed);
    expect(renamed).toMatch(/^alert-state\.json\.damaged-\d{8}T\d{6}Z$/);
    expect(readFileSync(join(file, '..', renamed), 'utf8')).toBe(content);
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    expect(state.load()).toEqual(saved({ savedAt: AT, alerts: [firing], analyzer: 'lic:443' }));
    expect(log.entries).toHaveLength(1);
  });

  it('is set aside if it is a directory', async () => {
    const { file, state, problems } = start();
    mkdirSync(file, { recursive: true });
    expect(state.load()).toBeUndefined();
    expect(problems()).toEqual(['it cannot be read (EISDIR)']);
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    expect(state.load()?.alerts).toEqual([firing]);
  });

  it('of a newer version is neither renamed nor replaced, until it is moved away', async () => {
    const { file, state, writes, log } = start();
    mkdirSync(join(file, '..'));
    writeFileSync(file, '{"v":2}');
    expect(state.load()).toBeUndefined();
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    expect(readFileSync(file, 'utf8')).toBe('{"v":2}');
    const problem = `${file} was written by a newer version of license-exporter; a restart may send alerts twice; use that version, or move the file away`;
    expect([writes.problem(), writes.errors()]).toEqual([problem, 2]);
    rmSync(file);
    await state.save(saved({ savedAt: AT, alerts: [firing] }));
    expect(state.load()?.alerts).toEqual([firing]);
    expect(writes.problem()).toBeUndefined();
    expect(log.entries.map(({ message, fields }) => [message, fields.problem ?? fields.failures])).toEqual([
      ['state cannot be saved', problem],
      ['state is saved again', 2],
    ]);
  });

  it('that cannot be written is reported once, counted each time, and its end is reported', async () => {
    const { file, state, writes, log } = start();
    const folder = join(file, '..');
    writeFileSync(folder, 'a file where the directory should be');
    for (let i = 0; i < 3; i += 1) await state.save(saved({ savedAt: AT + i, alerts: [] }));
    const problem = `${file} cannot be written (ENOTDIR); a restart may send alerts twice; check the disk and the owner of storage.path`;
    expect([writes.problem(), writes.errors()]).toEqual([problem, 3]);
    rmSync(folder);
    await state.save(saved({ savedAt: AT + 3, alerts: [firing] }));
    await state.save(saved({ savedAt: AT + 4, alerts: [firing] }));
    expect([writes.problem(), writes.errors()]).toEqual([undefined, 3]);
    expect(log.entries.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      ['error', 'state cannot be saved', { file: 'alert-state.json', problem }],
      ['info', 'state is saved again', { file: 'alert-state.json', failures: 3 }],
    ]);
  });

  it('on a disk that hangs is waited for once, and is written when the disk is back', async () => {
    const hanging = createHangingFile(cleanup);
    const { state, problems } = start(hanging.path);
    vi.useFakeTimers();
    const first = state.save(saved({ savedAt: AT, alerts: [] }));
    await vi.advanceTimersByTimeAsync(4999);
    expect(problems()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await first;
    const reported = `${hanging.path} is not written after 5 s; a restart may send alerts twice; check the disk of storage.path`;
    expect(problems()).toEqual([reported]);
    // no timer is running: these do not wait
    await state.save(saved({ savedAt: AT + 1, alerts: [firing] }));
    await state.save(saved({ savedAt: AT + 2, alerts: [pending] }));
    vi.useRealTimers();
    expect(problems()).toEqual([reported]);
    hanging.release();
    await eventually('the newest alerts are written', () => state.load()?.savedAt === AT + 2);
    expect(state.load()?.alerts).toEqual([pending]);
  });
});
