import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { labelsKey } from '../../../src/alerting/alerts/alert.ts';
import type { ReceiverState } from '../../../src/alerting/messages/receiver-state.ts';
import { createMessageFile, type ReceiverStates } from '../../../src/alerting/messages/receiver-state.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import type { Stamp } from '../../../src/base/storage/stamp.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const state: ReceiverState = {
  ledger: new Map([
    [
      'key',
      {
        rule: 'LicenseServerDown/critical',
        labels: { alertname: 'LicenseServerDown' },
        annotations: {},
        episodes: [
          { startsAt: 0, state: 'resolved', at: 1, dueSince: 1, ending: 'now critical' },
          { startsAt: 1, state: 'firing', at: 2, dueSince: undefined },
        ],
        sent: { startsAt: 1, state: 'firing' },
      },
    ],
  ]),
  sentAt: new Map([['group', 3]]),
  frozen: new Map([
    [
      'group',
      {
        key: 'group',
        id: 'id',
        at: 4,
        body: 'Subject: x\r\n\r\n',
        to: [{ address: 'a@example.com', setting: 'alerting.email.to[0]' }],
        covered: [{ key: 'key', episodes: [{ startsAt: 1, state: 'resolved' }] }],
      },
    ],
  ]),
};

const NOW: Stamp = { wall: 1_800_000_000, uptime: 5000, boot: 'b1' };

function open(states: ReceiverStates = new Map([['email', state]])) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-messages-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'state/messages.json');
  const log = createTestLog();
  const writes = createFileWrites('messages.json', log);
  const create = (analyzer = 'lic:80', stamp: Stamp = NOW) =>
    createMessageFile({ path, analyzer, states: () => states, stamp: () => stamp, writes, log });
  const problems = (): readonly unknown[] => log.entries.map(({ fields }) => fields.problem ?? fields.reason);
  return { folder, path, problems, create };
}

describe('the file of messages', () => {
  it('is as old as it is although the clock was set since', async () => {
    const { create } = open();
    await create().save();
    const before = create().load().get('email');
    const after = create('lic:80', { ...NOW, wall: NOW.wall - 7200 + 60, uptime: NOW.uptime + 60 })
      .load()
      .get('email');
    const timesOf = (found: ReceiverState | undefined) => [
      ...(found?.sentAt.values() ?? []),
      ...(found?.ledger.get('key')?.episodes.map(({ startsAt }) => startsAt) ?? []),
    ];
    expect(timesOf(before)).not.toEqual([]);
    expect(timesOf(after)).toEqual(timesOf(before).map((at) => at - 7200));
  });

  it('has all that was saved, and only its owner can read it', async () => {
    const { path, problems, create } = open();
    await create().save();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(create().load()).toEqual(new Map([['email', state]]));
    expect(create('another:80').load()).toEqual(new Map());
    expect(problems()).toEqual([]);
  });

  it('of 0.2.0 has an alert for each feature: of those that are one now, the first that was told of stands for all', () => {
    const { path, problems, create } = open();
    const entry = (feature: string, sent?: object) => ({
      rule: 'LicenseExpiringSoon/critical',
      labels: { alertname: 'LicenseExpiringSoon', vendor_license: 'a;b', feature },
      annotations: { expires: '2026-12-03' },
      episodes: [{ startsAt: 1, state: 'firing', at: 1, dueSince: 1 }],
      sent,
    });
    const oldKey = (feature: string): string => JSON.stringify(['LicenseExpiringSoon', null, 'a;b', feature]);
    const said = { startsAt: 1, state: 'firing' };
    const covered = [{ key: oldKey('cad'), episodes: [said] }];
    const alerts = {
      [oldKey('cam')]: entry('cam'),
      [oldKey('cad')]: entry('cad', said),
      [oldKey('viewer')]: entry('viewer'),
    };
    const frozen = [{ key: 'group', id: 'id', at: 1, body: 'x', to: [], covered }];
    mkdirSync(dirname(path));
    writeFileSync(
      path,
      JSON.stringify({ v: 1, analyzer: 'lic:80', receivers: { email: { alerts, groups: {}, frozen } } }),
    );
    const found = create().load().get('email');
    expect(problems()).toEqual([]);
    const labels = { alertname: 'LicenseExpiringSoon', vendor_license: 'a;b', expires: '2026-12-03' };
    expect([...(found?.ledger ?? [])]).toEqual([[labelsKey(labels), { ...entry('cad', said), labels }]]);
    expect(found?.frozen.get('group')?.covered).toEqual([{ key: labelsKey(labels), episodes: [said] }]);
  });

  it('is empty before the first message, without a problem', () => {
    const { problems, create } = open();
    expect(create().load()).toEqual(new Map());
    expect(problems()).toEqual([]);
  });

  it.each<[string, (content: string) => string]>([
    ['is cut off', (content) => content.slice(0, -20)],
    ['has no version', (content) => content.replace('"v":1', '"v":"1"')],
    ['has a time that is no number', (content) => content.replace('"startsAt":1', '"startsAt":"1"')],
    ['has a state that does not exist', (content) => content.replaceAll('"firing"', '"unclear"')],
    ['has no addresses', (content) => content.replace('"address"', '"adress"')],
  ])('that %s is set aside, and that is said', async (_, damage) => {
    const { path, problems, create } = open();
    await create().save();
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(create().load()).toEqual(new Map());
    expect(problems()).toHaveLength(1);
    expect(readdirSync(dirname(path))).toEqual([expect.stringMatching(/^messages\.json\.damaged-/)]);
  });

  it('that cannot be written is a problem that is said once, until it can be written again', async () => {
    const { folder, problems, create } = open();
    const file = create();
    writeFileSync(join(folder, 'state'), 'a file where the directory should be');
    await file.save();
    await file.save();
    expect(problems()).toEqual([
      expect.stringMatching(
        /cannot be written \(ENOTDIR\); a restart may repeat messages; check the disk and the owner/,
      ),
    ]);
    rmSync(join(folder, 'state'));
    await file.save();
    expect(create().load().size).toBe(1);
  });
});
