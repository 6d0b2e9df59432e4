import { describe, expect, it } from 'vitest';
import { Pair } from '../../../src/analyzer/blocked/episodes.ts';
import { PersonLog, type Refused } from '../../../src/analyzer/blocked/person-log.ts';
import { FollowedLogs } from '../../support/followed-logs.ts';

const NOON = Date.parse('2026-06-02T12:00:00Z') / 1000;

function createPersonLog() {
  const pair = new Pair<Refused>(1);
  const asked: string[] = [];
  const lines: number[] = [];
  const log = new PersonLog({
    id: 7,
    userOf: (client) => client.split('@')[0] ?? '',
    vendorLicenseOf: (daemon) => `lic1;${daemon}`,
    find: (user, feature) => {
      asked.push(`${user} ${feature}`);
      return pair;
    },
    onLine: (at) => void lines.push(at),
    onUnnamed: (vendorLicense, feature) => void asked.push(`nobody ${vendorLicense} ${feature}`),
    onSettled: () => void asked.push('settled'),
    onClosed: () => void asked.push('closed'),
  });
  return { log, pair, asked, lines };
}

const alice = { daemon: 'vend', feature: 'solver', client: 'alice@ws1' };

describe('a log of people', () => {
  it('tells who was refused what, and looks a name up once until it forgets it', () => {
    const { log, pair, asked, lines } = createPersonLog();
    log.date(0, 0);
    log.refused('key', alice, 100, 'all_in_use', 30);
    log.got('key', alice, 200);
    expect(asked).toEqual(['alice solver']);
    const what = { vendorLicense: 'lic1;vend', feature: 'solver', cause: 'all_in_use' };
    expect(pair.said).toEqual([
      { log: 7, from: 100, to: 100, what, within: 30 },
      { log: 7, from: 200, to: 200, what: undefined, within: 0 },
    ]);
    expect(lines).toEqual([100, 200]);
    log.forget();
    log.got('key', alice, 300);
    expect(asked).toHaveLength(2);
  });

  it('has the cause of each line', () => {
    const { log, pair } = createPersonLog();
    log.date(0, 0);
    log.refused('key', alice, 100, undefined);
    log.refused('key', alice, 101, 'expired');
    expect(pair.said.map(({ what }) => what?.cause)).toEqual([undefined, 'expired']);
  });

  it('keeps lines until it has a date, and leaves out what is too old', () => {
    const { log, pair } = createPersonLog();
    log.date(undefined, 0);
    log.refused('key', alice, 100, 'all_in_use');
    log.refused('key', alice, 2000, 'all_in_use');
    log.shift(5);
    expect(pair.said).toEqual([]);
    log.date(10_000, 11_000);
    expect(pair.said.map(({ from }) => from)).toEqual([12_005]);
  });

  it('holds no pair any longer that it has no date for, once it is closed', () => {
    const { log, pair } = createPersonLog();
    log.date(undefined, 0);
    log.refused('key', alice, 100, 'all_in_use');
    expect(pair.isEmpty).toBe(false);
    log.close();
    expect(pair.isEmpty).toBe(true);
  });

  it('tells of a refusal of nobody knows whom, of its end, and when everything is read', () => {
    const { log, asked } = createPersonLog();
    log.refusedUnnamed(alice);
    log.settle();
    log.close();
    expect(asked).toEqual(['nobody lic1;vend solver', 'settled', 'closed']);
  });

  it('loses nobody while it has no date', () => {
    const logs = new FollowedLogs(NOON);
    const { log, refused, got } = logs.log('lic1', false);
    log.date(undefined, 0);
    refused('alice@ws1', 0);
    got('alice@ws1', 60);
    logs.lookUntil(NOON + 200);
    log.date(NOON, 0);
    expect(logs.ended()).toMatchObject([{ ended: 'got', episodes: 1, seconds: 60 }]);
  });
});
