import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCollector } from '../../../src/analyzer/history/collector.ts';
import { Recorder } from '../../../src/analyzer/history/recorder.ts';
import { figuresOf } from '../../../src/analyzer/history/sample.ts';
import { createSlots } from '../../../src/analyzer/history/slots.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { type BodyContext, endpointBodies } from '../../../src/analyzer/server/query-answers.ts';
import { createSimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { EndpointName } from '../../../src/base/query-api/endpoints.ts';
import { testHistory } from '../../support/harness.ts';
import { hostileNames } from '../../support/hostile-names.ts';

/**
 * The simulated site stays as it is on the wire: sizes and SHA-256 of the bodies that it gave to
 * the same questions. UPDATE_BODIES=1 writes them again after an intended change.
 */
const path = join(import.meta.dirname, 'fixtures/bodies-of-simulated-site.json');

const unexpected = (error: unknown): never => {
  throw error;
};

/** A site after two days of past and an hour of collections, the clock of which changes that day. */
async function createContext(): Promise<BodyContext> {
  let now = Date.UTC(2026, 9, 25, 8, 7, 30) / 1000;
  const { timeZone } = testHistory;
  const localTime = createLocalTime(timeZone);
  const size = { seed: 7, vendorLicenses: 8, featuresPerVendorLicense: 12 };
  const source = createSimulatedSite({
    ...size,
    timeZone,
    interval: 900,
    now: () => now,
    historyDays: 2,
    names: hostileNames,
  });
  const recorder = new Recorder({
    open: () => openStore({ ...testHistory, origin: 'test', localTime }),
    localTime,
    sampleDays: 1,
    days: 400,
    onProblem: unexpected,
    onRecovery: () => {},
  });
  const collector = createCollector({
    sources: [source],
    localTime,
    now: () => now,
    onProblem: unexpected,
    onCollected: ({ at, slot, reached }, vendorLicenses) =>
      recorder.record(slot, 900, {
        figures: reached.values().flatMap(({ name, observation }) => figuresOf(observation, name, at)),
        observations: reached,
        vendorLicenses,
      }),
  });
  await recorder.known(createSlots(localTime, 900).of(now));
  await recorder.addPast(source.past);
  for (let i = 0; i < 4; i += 1) {
    now += 900;
    await collector.collect();
  }
  const { signal } = new AbortController();
  return {
    current: collector.current(),
    now,
    identity: 'CORP\\svc',
    signal,
    recorded: () => ({ store: recorder.store(), localTime, now, signal }),
  };
}

const everything = { product: '%', feature: '%', package: '' };
const one = { ...everything, feature: 'sim-mesh-2' };
const month = { year: '2026', month: '10' };
const questions: readonly (readonly [EndpointName, Readonly<Record<string, string>>])[] = [
  ['GetProducts', {}],
  ['GetProducts', { user: '%1%' }],
  ['GetFeatures', { product: '%' }],
  ['GetUsers', { format: 'sql', ...everything, package: '%', sortdatafield: 'UsageTime' }],
  ['GetServerDown', {}],
  ['GetExpirationFeatures', { product: '%', search: '2' }],
  ['GetHistory', everything],
  ['GetHistory', one],
  ['GetHistoryReserved', everything],
  ['GetHistoryReserved', one],
  ['GetEfficiency', { ...everything, ...month }],
  ['GetEfficiency', { ...one, last: '101' }],
  ['GetHeatMap', { ...everything, ...month }],
  ['GetHeatMap', { ...one, last: '101' }],
  ['GetHttpUserName', {}],
  ['GetConcurrentUsers', {}],
];

it('the simulated site answers what it answered before, byte for byte', async () => {
  const context = await createContext();
  const found: Record<string, string> = {};
  for (const [endpoint, parameters] of questions) {
    const { body } = await endpointBodies[endpoint](context, parameters);
    const bytes = Buffer.concat(body);
    const hash = createHash('sha256').update(bytes).digest('hex');
    found[`${endpoint} ${new URLSearchParams(parameters)}`.trim()] = `${bytes.length} bytes, ${hash}`;
  }
  if (process.env.UPDATE_BODIES === '1') writeFileSync(path, `${JSON.stringify(found, undefined, 2)}\n`);
  expect(found).toEqual(JSON.parse(readFileSync(path, 'utf8')));
});
