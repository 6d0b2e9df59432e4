import { describe, expect, it } from 'vitest';
import type { EndedWaits } from '../../../src/base/model/observation/observation.ts';
import { FEATURE, FollowedLogs } from '../../support/followed-logs.ts';

/** Who is one person, and which lines are one wait. */

const NOON = Date.parse('2026-06-02T12:00:00Z') / 1000;
const MIDNIGHT = Date.parse('2026-06-03T00:00:00Z') / 1000;

const wait = (ended: EndedWaits['ended'], seconds: number, more: Partial<EndedWaits> = {}): EndedWaits => ({
  cause: 'all_busy',
  ended,
  episodes: 1,
  seconds,
  people: 1,
  ...more,
});

describe('a person', () => {
  it.each([
    ['another host', 'alice@ws1', 'alice@ws2'],
    ['letters of another case', 'ALICE@ws1', 'alice@ws1'],
    ['a domain of Windows', 'CORP\\alice@ws1', 'alice@ws1'],
    ['a domain of a mail address', 'alice@corp.example@ws1', 'alice@ws1'],
    ['all of them', 'CORP\\Alice@ws1', 'ALICE@corp.example@ws2'],
  ])('is one with %s', (_, first, second) => {
    const logs = new FollowedLogs(NOON);
    const { refused, got } = logs.log('lic1');
    refused(first, NOON);
    refused(second, NOON + 60);
    got(second, NOON + 90);
    expect(logs.ended()).toEqual([wait('got', 90)]);
  });

  it('is another one with another name, and each counts once a day', () => {
    const logs = new FollowedLogs(NOON);
    const { refused, got } = logs.log('lic1');
    for (const at of [NOON, NOON + 2000]) {
      for (const client of ['alice@ws1', 'bob@ws1']) {
        refused(client, at);
        got(client, at + 60);
      }
      logs.lookUntil(at + 1000);
    }
    expect(logs.ended()).toEqual([wait('got', 240, { episodes: 4, people: 2 })]);
  });
});

describe('a wait', () => {
  it('is over with a checkout on any server, whose clock can be 20 seconds off', () => {
    for (const off of [-20, 0, 20]) {
      const logs = new FollowedLogs(NOON);
      const [first, second] = [logs.log('lic1'), logs.log('lic2')];
      first.refused('alice@ws1', NOON);
      second.got('alice@ws1', NOON + 300 + off);
      expect(logs.ended()).toEqual([wait('got', 300 + off)]);
    }
  });

  it('does not begin if another server grants the request, by a clock that is 20 seconds off', () => {
    for (const off of [-20, 0, 20]) {
      const logs = new FollowedLogs(NOON);
      const [first, second] = [logs.log('lic1'), logs.log('lic2')];
      first.refused('alice@ws1', NOON);
      second.got('alice@ws1', NOON + 1 + off);
      expect(logs.ended()).toEqual([]);
    }
  });

  it('is the same in whichever order the logs are looked at', () => {
    const found = [true, false].map((isFirstRead) => {
      const logs = new FollowedLogs(NOON);
      const [first, second] = [logs.log('lic1'), logs.log('lic2')];
      const read = [
        () => [0, 10, 20, 30].forEach((after) => void first.refused('alice@ws1', NOON + after)),
        () => second.got('alice@ws1', NOON + 100),
      ];
      for (const lines of isFirstRead ? read : read.toReversed()) lines();
      // both are read at once
      logs.lookUntil(NOON + 900, 300);
      return logs.ended();
    });
    expect(found).toEqual([[wait('got', 100)], [wait('got', 100)]]);
  });

  it('is given up with the last refusal, if none follows for 15 minutes', () => {
    const logs = new FollowedLogs(NOON);
    const { refused } = logs.log('lic1');
    for (const after of [0, 100, 600]) refused('alice@ws1', NOON + after);
    logs.now = NOON + 600;
    expect(logs.ended()).toEqual([wait('gave_up', 600)]);
  });

  it('is shown while it lasts, and lost when nobody watches any longer', () => {
    const logs = new FollowedLogs(NOON);
    const { refused } = logs.log('lic1');
    refused('alice@ws1', NOON);
    logs.lookUntil(NOON + 300);
    expect(logs.blocked()).toEqual({
      now: [{ cause: 'all_busy', people: 1, fresh: 1, since: NOON, seconds: 300 }],
      day: expect.any(Number),
      ended: [],
    });
    logs.people.end();
    expect(logs.blocked()).toMatchObject({ now: [], ended: [wait('lost', 0)] });
  });

  it('counts on the day on which it ends, and makes its person no new one of that day twice', () => {
    const logs = new FollowedLogs(MIDNIGHT - 300);
    const { refused, got } = logs.log('lic1');
    refused('alice@ws1', MIDNIGHT - 300);
    logs.lookUntil(MIDNIGHT - 120);
    const before = logs.blocked();
    expect(before).toMatchObject({ now: [{ people: 1, fresh: 1 }], ended: [] });
    got('alice@ws1', MIDNIGHT + 60);
    logs.lookUntil(MIDNIGHT + 600);
    const after = logs.blocked();
    expect(after).toMatchObject({ now: [], day: (before?.day ?? 0) + 1, ended: [wait('got', 360)] });
    refused('alice@ws1', MIDNIGHT + 700);
    logs.lookUntil(MIDNIGHT + 1000);
    expect(logs.blocked()).toMatchObject({ now: [{ people: 1, fresh: 0 }] });
    got('alice@ws1', MIDNIGHT + 1060);
    logs.lookUntil(MIDNIGHT + 1500);
    expect(logs.blocked()).toMatchObject({ now: [], ended: [{ episodes: 1, people: 0 }] });
    logs.lookUntil(MIDNIGHT + 86_400, 600);
    refused('alice@ws1', MIDNIGHT + 86_400);
    logs.lookUntil(MIDNIGHT + 86_700);
    expect(logs.blocked()).toMatchObject({ now: [{ people: 1, fresh: 1 }] });
  });
});

describe('what is found', () => {
  it('is not known on a day on which a line does not say who was refused', () => {
    const logs = new FollowedLogs(NOON);
    const { log, refused, got } = logs.log('lic1');
    refused('alice@ws1', NOON);
    got('alice@ws1', NOON + 60);
    log.refusedUnnamed({ daemon: 'vend', feature: FEATURE });
    logs.lookUntil(NOON + 1200);
    expect(logs.blocked()).toMatchObject({ now: [], ended: [], isIncomplete: true });
    refused('alice@ws1', NOON + 1300);
    logs.lookUntil(NOON + 1700);
    expect(logs.blocked()).toMatchObject({ now: [], ended: [], isIncomplete: true });
    logs.lookUntil(NOON + 86_400, 600);
    refused('alice@ws1', NOON + 86_400);
    logs.lookUntil(NOON + 86_700);
    expect(logs.blocked()).toMatchObject({ now: [{ people: 1 }] });
    expect(logs.blocked()).not.toHaveProperty('isIncomplete');
  });

  it('is that of the first version of a feature', () => {
    const logs = new FollowedLogs(NOON);
    const { refused } = logs.log('lic1');
    refused('alice@ws1', NOON);
    logs.lookUntil(NOON + 300);
    expect(logs.blockedOfVersions()).toMatchObject([{ now: [{ people: 1 }] }, undefined]);
  });

  it('waits for a log that is read late, but not for one that is stuck', () => {
    const logs = new FollowedLogs(NOON);
    const { refused, log } = logs.log('lic1');
    const other = logs.people.log({ userOf: (client) => client, vendorLicenseOf: (daemon) => `lic2;${daemon}` });
    refused('alice@ws1', NOON);
    const look = (seconds: number): void => {
      for (const end = logs.now + seconds; logs.now < end; logs.now += 10) log.settle();
    };
    look(40);
    expect(logs.blocked()?.now).toEqual([]);
    look(400);
    expect(logs.blocked()?.now).toMatchObject([{ people: 1 }]);
    other.close();
  });
});
