import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/analyzer/history/history-file.ts';
import type { RecordedDemand } from '../../../src/analyzer/history/recorded-demand.ts';
import { readWaits } from '../../../src/program/app/recorded-people.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

/** The people who waited, as Grafana gets them from the history in this process. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const series = { vendorLicense: 'lic;d;part', feature: 'f', package: '', featureType: 'feature' };
const waiting = { cause: 'all_busy', people: 2, fresh: 1, since: 5, seconds: 60 } as const;

const recordedOf = (days: readonly number[]): RecordedDemand =>
  ({
    waitedDays: async (from: number, to: number, isAskedFor: (one: typeof series) => boolean) =>
      days.filter((day) => day >= from && day < to && isAskedFor(series)).map((day) => ({ ...series, day, waits: [] })),
    blocked: {
      now: () => [{ ...series, day: 9, now: [waiting], elsewhere: { vendorLicense: 'b', licenses: 1 } }],
      sinceStart: () => [],
    },
  }) as unknown as RecordedDemand;

const everything = () => true;

describe('the people who waited', () => {
  it('have the names of metrics, and those who wait now on their day alone', async () => {
    const found = await readWaits(recordedOf([7, 8, 9]), true, everything)(8, 10, ({ feature }) => feature === 'f');
    const common = { vendorLicense: 'lic;d', feature: 'f', package: '', waits: [] };
    expect(found).toEqual([
      { ...common, day: 8, now: undefined, elsewhere: undefined },
      { ...common, day: 9, now: [waiting], elsewhere: { vendorLicense: 'b', licenses: 1 } },
    ]);
  });

  it('are those of the selected features', async () => {
    const owns = ({ vendorLicense }: { vendorLicense: string }) => vendorLicense !== 'lic;d';
    expect(await readWaits(recordedOf([8]), true, owns)(8, 10, everything)).toEqual([]);
  });

  it('are not known, for a reason', async () => {
    const reasonOf = (recorded: RecordedDemand | undefined, isOn = true) =>
      readWaits(recorded, isOn, everything)(0, 1, everything);
    expect(await reasonOf(undefined)).toEqual({ reason: 'an analyzer in another process does not tell it' });
    expect(await reasonOf(recordedOf([0]), false)).toEqual({ reason: '`people` is off' });
    const damaged = { waitedDays: () => Promise.reject(new StoreError('the history store is damaged')) };
    expect(await reasonOf(damaged as unknown as RecordedDemand)).toEqual({ reason: 'the history store is damaged' });
  });

  it.each([
    ['where the setting is off', { people: false }, true, '`people` is off'],
    ['of another analyzer', {}, false, 'an analyzer in another process does not tell it'],
  ])('are no rows of nobody %s', async (_, settings, isHere, reason) => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url, settings), isHere ? { recorded: analyzer.demand } : {});
    cleanup.add(() => app.stop());
    await eventually('the first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const answer = await (await fetch(`${app.url}/grafana/rows/blocked?product=%25&none=Nobody`)).json();
    const notice = { severity: 'warning', text: `who waited is not known: ${reason}` };
    expect(answer).toEqual({ rows: [], notices: [notice], total: 0 });
  });
});
