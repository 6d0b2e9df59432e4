import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/analyzer/history/history-file.ts';
import type { RecordedBlocked } from '../../../src/analyzer/history/recorded-blocked.ts';
import type { DeniedDay, DeniedSeries, RecordedDenials } from '../../../src/analyzer/history/recorded-denials.ts';
import { createDenialWatch } from '../../../src/program/app/recorded.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

/** The denials that an analyzer in this process records, on the pages and in the metrics. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const VENDOR_LICENSE = 'sim-lic01;sim_cadd';
const FEATURE = 'sim-mesh-2';
const of = (feature: string, vendorLicense = VENDOR_LICENSE) => ({
  vendorLicense,
  feature,
  package: '',
  featureType: 'feature',
});

type Settings = Parameters<typeof createConfig>[1];

async function start(denials: RecordedDenials, settings: Settings = {}): Promise<(path: string) => Promise<string>> {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const app = await startApp(createConfig(analyzer.url, settings), { recorded: { ...analyzer.demand, denials } });
  cleanup.add(() => app.stop());
  await eventually('the first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return async (path) => {
    const text = await (await fetch(`${app.url}${path}`)).text();
    return path === '/metrics' ? text : text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  };
}

type Given = Omit<DeniedSeries, 'waits'> & Partial<Pick<DeniedSeries, 'waits'>>;
/** Of people nothing is known but what is given. */
const day =
  (...series: readonly Given[]): (() => Promise<DeniedDay>) =>
  async () => ({ series: series.map((one) => ({ waits: undefined, ...one })) });
const yesterday = day();
const nobody: RecordedBlocked = { now: () => [], sinceStart: () => [] };
const page = `/feature?${new URLSearchParams({ vendor_license: VENDOR_LICENSE, feature: FEATURE })}`;

describe('denials that are recorded in this process', () => {
  it('are on the page of the site, on that of the feature, and counted in the metrics', async () => {
    const counted = () => [
      { ...of(FEATURE), cause: 'all_in_use' as const, count: 4 },
      { ...of(FEATURE), cause: undefined, count: 1 },
    ];
    // two parts of a vendor license are one here
    const today = day({ ...of(FEATURE), denials: 2 }, { ...of(FEATURE, `${VENDOR_LICENSE};b`), denials: 3 });
    const load = await start({ sinceStart: counted, today, yesterday });
    expect(await load('/')).toMatch(new RegExp(`Denied today ${FEATURE} ${VENDOR_LICENSE} 5 denials`));
    expect(await load(page)).toContain('Denied today: 5 requests');
    const labels = `vendor_license="${VENDOR_LICENSE}",feature="${FEATURE}",package="",feature_type="feature"`;
    const metrics = await load('/metrics');
    expect(metrics).toContain(`license_feature_denials_total{${labels},cause="all_in_use"} 4`);
    expect(metrics).toContain(`license_feature_denials_total{${labels},cause=""} 1`);
  });

  it('are said in words, also if there was no denial or if they are not known', async () => {
    const none = { sinceStart: () => [], today: day({ ...of(FEATURE), denials: 0 }), yesterday };
    const load = await start(none);
    expect(await load('/')).toContain('Denied today None of 1 feature whose denials are known.');
    expect(await load(page)).toContain('Denied today: no request');
    expect(await load('/metrics')).not.toContain('license_feature_denials_total{');
    const unknown = await start({ sinceStart: () => [], today: day(), yesterday });
    expect(await unknown('/')).toContain(
      'Denied today The denials of today are not known: no source reports them; FlexNet needs debug_log',
    );
    expect(await unknown(page)).not.toContain('Denied today');
    const broken = () => Promise.reject(new StoreError('the history store is damaged'));
    expect(await (await start({ sinceStart: () => [], today: broken, yesterday }))('/')).toContain(
      'Denied today The history store is damaged.',
    );
  });

  it('are those of the selected features', async () => {
    const series = { ...of(FEATURE), denials: 7, cause: undefined, count: 7 };
    const denials = { sinceStart: () => [series], today: day(series), yesterday };
    const load = await start(denials, { 'select.exclude': [FEATURE] });
    expect(await load('/')).not.toContain('7 denials');
    expect(await load('/metrics')).not.toContain('license_feature_denials_total{');
  });
});

describe('the denials that alerts read', () => {
  const newest = async (today: readonly Given[], before: readonly Given[]) => {
    const denials = { sinceStart: () => [], today: day(...today), yesterday: day(...before) };
    const watch = createDenialWatch(
      { denials, blocked: nobody },
      ({ feature }) => feature !== 'other',
      () => 0,
    );
    watch();
    await new Promise((done) => setImmediate(done));
    return watch()?.map(({ feature, denials: count, day: when }) => [feature, count, when]);
  };

  it('are those of today, of the day before while today has none, and of all parts of a vendor license', async () => {
    const [a, b] = [of('a'), of('b')];
    expect(await newest([{ ...a, denials: 2 }], [{ ...a, denials: 5 }])).toEqual([['a', 2, 'today']]);
    expect(await newest([{ ...a, denials: 0 }], [{ ...a, denials: 5 }])).toEqual([['a', 5, 'yesterday']]);
    expect(await newest([{ ...a, denials: 0 }], [{ ...a, denials: 0 }])).toEqual([['a', 0, 'today']]);
    // whether there are any today is not known, and none yesterday says nothing
    expect(
      await newest(
        [],
        [
          { ...a, denials: 0 },
          { ...b, denials: 1 },
        ],
      ),
    ).toEqual([['b', 1, 'yesterday']]);
    const parts = [
      { ...a, denials: 1 },
      { ...of('a', `${VENDOR_LICENSE};b`), denials: 3 },
    ];
    expect(await newest([...parts, { ...of('other'), denials: 1 }], [])).toEqual([['a', 4, 'today']]);
    // nobody reports them: a full pool is the only sign that licenses are missing
    expect(await newest([], [])).toBeUndefined();
  });
});
