import { expect, it } from 'vitest';
import { type AlertState, movedAlert } from '../../../src/alerting/alerts/alert.ts';
import { movedState, type ReceiverState, stateJson } from '../../../src/alerting/messages/receiver-state.ts';
import { withoutAnswers } from '../../../src/base/model/snapshot.ts';
import { type KeptContract, movedContract } from '../../../src/exporter/inventory/field-contract.ts';

/** Every time of 2023 in a value moves; no other number does. */
const NOW = 1_700_000_000;
const isTime = (value: number): boolean => Math.abs(value - NOW) < 1_000_000;

const moved = (value: unknown, by: number): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'number' && isTime(each) ? each + by : each));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const alert: AlertState = {
  rule: 'LicenseServerDown',
  labels: { alertname: 'LicenseServerDown' },
  annotations: { summary: 's' },
  value: 17,
  state: 'resolved',
  activeAt: NOW - 900,
  firedAt: NOW - 800,
  keepFiringSince: NOW - 700,
  resolvedAt: NOW - 600,
  knownAt: NOW - 500,
  unknownSince: NOW - 400,
  threshold: undefined,
  ending: undefined,
};

const state: ReceiverState = {
  ledger: new Map([
    [
      'key',
      {
        rule: 'LicenseServerDown',
        labels: { alertname: 'LicenseServerDown' },
        annotations: {},
        episodes: [
          { startsAt: NOW - 900, state: 'resolved', at: NOW - 800, dueSince: NOW - 850 },
          { startsAt: NOW - 700, state: 'firing', at: NOW - 600, dueSince: undefined },
        ],
        sent: { startsAt: NOW - 900, state: 'firing' },
      },
    ],
  ]),
  sentAt: new Map([['group', NOW - 500]]),
  frozen: new Map([
    [
      'group',
      {
        key: 'group',
        id: 'a1',
        at: NOW - 30,
        body: 'text',
        to: [{ address: 'a@example.com', setting: 'alerting.email.to[0]' }],
        covered: [{ key: 'key', episodes: [{ startsAt: NOW - 700, state: 'firing' }] }],
      },
    ],
  ]),
};

const contract: KeptContract = {
  GetFeatures: [{ vendorLicense: 'a;b', expected: ['InUse'], missing: { InUse: NOW - 4000 }, at: NOW - 20 }],
};

it.each([10_800, -7200])('moves every time that is carried over a clock set by %d s', (by) => {
  expect(plain(movedAlert(alert, by))).toEqual(moved(alert, by));
  expect(plain(stateJson(movedState(state, by)))).toEqual(moved(stateJson(state), by));
  expect(movedContract(contract, by)).toEqual(moved(contract, by));
});

it('forgets the answers, and keeps which endpoints the analyzer lacks', () => {
  const reading = { at: NOW, seconds: 1, ok: true, value: 3 } as const;
  const parts = new Map([['', reading]]);
  const snapshot = {
    at: NOW,
    endpoints: {
      GetConcurrentUsers: { interval: 60, maxAge: 300, lastSuccess: NOW, isAbsent: true, parts } as const,
      GetHistory: { interval: 60, maxAge: 300, lastSuccess: NOW, parts: new Map() },
    },
    off: ['GetServerDown'] as const,
  };
  expect(withoutAnswers(snapshot, NOW + 5)).toEqual({
    at: NOW + 5,
    endpoints: { GetConcurrentUsers: { interval: 60, maxAge: 300, isAbsent: true, parts: new Map() } },
    off: ['GetServerDown'],
  });
});
