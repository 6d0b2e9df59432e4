import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { noOwners } from '../../../src/base/model/owners.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import type { Backend, ReadWaits } from '../../../src/site/grafana/answers/backend.ts';
import { DatasourceError } from '../../../src/site/grafana/answers/errors.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { answerTarget } from '../../../src/site/grafana/answers/targets.ts';
import { answerRows } from '../../../src/site/grafana/protocols/rows.ts';
import { dashboards, panelsOf } from '../../support/dashboards.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { type InfinityQuery, pathOf } from '../../support/infinity.ts';
import { root } from '../../support/markdown.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../support/scenario.ts';

/** What was is asked of all features, also of those that are idle now: 400 features of which one had denials, and is idle now. */

const DAY = 86_400;
const localTime = createLocalTime('Europe/Berlin');
const PRODUCT = 'lic01;cdslmd';
const DENIED = 'f399';

const siteOf = (count: number) =>
  deriveInventoryNow(
    createSnapshot({
      products: good(answer([product()])),
      down: good(answer([])),
      features: {
        [WHOLE]: good(
          answer(
            Array.from({ length: count }, (_, i) =>
              feature({
                feature: `f${String(i).padStart(3, '0')}`,
                maxAvailable: 400,
                inUse: count - 1 - i,
                maxQueued: 0,
              }),
            ),
          ),
        ),
      },
    }),
    NOW,
    { ...everything, usageWhenNotCurrent: 'withhold' },
  );

/** Of the last seven days. One feature had three denials on six of them, and the others are in use. */
function trendOf(name: string) {
  const today = localTime.dayOf(NOW);
  const at = Float64Array.from({ length: 7 }, (_, i) => localTime.startOf(today - 6 + i) * 1000);
  const valuesOf = (value: (i: number) => number) => Float64Array.from({ length: 7 }, (_, i) => value(i));
  return [
    { name: 'Max Available', at, values: valuesOf(() => 400) },
    { name: 'Elapsed Time', at, values: valuesOf(() => (name === DENIED ? 1 : 24)) },
    { name: 'Denials', at, values: valuesOf((i) => (name === DENIED && i < 6 ? 3 : 0)) },
  ];
}

interface Site {
  readonly count?: number;
  readonly failing?: string;
}

/** Two people waited for the feature that was denied, nobody for another one, and of a third one the day of a refusal is not known. */
const waits: ReadWaits = async (_, before) => {
  const day = { vendorLicense: PRODUCT, package: '', day: before - 1, now: undefined, elsewhere: undefined };
  const wait = { cause: 'all_busy', ended: 'got', episodes: 3, people: 2, seconds: 90 } as const;
  return [
    { ...day, feature: DENIED, waits: [wait, { ...wait, cause: 'expired', people: 0, seconds: 30 }] },
    { ...day, feature: 'f001', waits: [] },
    { ...day, feature: 'f003', waits: [] },
    { ...day, feature: 'f003', day: before - 2, waits: undefined },
  ];
};

function backendOf({ count = 400, failing }: Site): Backend & { readonly most: () => number } {
  const inventory = siteOf(count);
  let open = 0;
  let most = 0;
  const upstream = {
    ask: async (_: string, { feature: name }: { feature: string }) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      if (name === failing) throw new DatasourceError('upstream_down', 'the analyzer has no time');
      return trendOf(name);
    },
  };
  return {
    inventory: () => inventory,
    waits,
    upstream,
    owners: () => noOwners,
    localTime,
    now: () => NOW,
    most: () => most,
  } as unknown as ReturnType<typeof backendOf>;
}

const signal = new AbortController().signal;
const range = { from: String((NOW - 7 * DAY) * 1000), to: String(NOW * 1000) };

const ask = async (parameters: Readonly<Record<string, string | readonly string[]>>, backend = backendOf({})) => {
  const { rows, notices } = await answerRows(
    'history',
    { product: PRODUCT, feature: '%', ...range, ...parameters },
    backend,
    signal,
  );
  return { rows: [...rows] as Readonly<Record<string, unknown>>[], notices: notices.map(({ text }) => text) };
};

/** The parameters of a query for Infinity, with the range of seven days. */
const parametersOf = (query: InfinityQuery): Record<string, string | string[]> => {
  const values = { vendor_license: PRODUCT, __timeFrom: range.from, __timeTo: range.to };
  const url = new URL(pathOf(query, values, { from: Number(range.from), to: Number(range.to) }), 'http://x');
  return Object.fromEntries(url.searchParams);
};

describe('denials of the past', () => {
  it('are those of every feature that matches, also of one that is idle now', async () => {
    const { rows, notices } = await ask({ shape: 'totals', sort: '-Denials', with: 'denials', top: '20' });
    expect(rows).toMatchObject([{ feature: DENIED, denials: 18, days_with_denials: 6 }]);
    expect(notices).toEqual([]);
  });

  it('are in the panel "Denials by feature"', async () => {
    const dashboard = dashboards.find(({ uid }) => uid === 'license-vendor-license');
    const panel = dashboard && panelsOf(dashboard).find(({ title }) => title === 'Denials by feature');
    const query = panel?.targets?.[0] as unknown as InfinityQuery;
    const { rows } = await ask(parametersOf(query));
    const waited = { people: 2, minutes_waited: 2, waiting_now: null, cause: 'all busy' };
    expect(rows).toMatchObject([{ note: null, feature: DENIED, denials: 18, ...waited }]);
  });

  it('say who waited where it is known, and 0 where nobody did', async () => {
    const columns = ['feature', 'people', 'cause'];
    const { rows } = await ask({ shape: 'totals', columns, sort: 'Feature' });
    const of = (name: string) => rows.find((row) => row.feature === name);
    expect(of(DENIED)).toEqual({ feature: DENIED, people: 2, cause: 'all busy' });
    expect(of('f001')).toEqual({ feature: 'f001', people: 0, cause: null });
    expect(of('f002')).toEqual({ feature: 'f002', people: null, cause: null });
    expect(of('f003')).toEqual({ feature: 'f003', people: null, cause: null });
  });

  it('are in the example of an alert, which knows of every feature and is an error if it lacks one', async () => {
    const file = parse(readFileSync(join(root, 'grafana/provisioning/alerting/license-denials.yml'), 'utf8'));
    const [rule] = file.groups[0].rules;
    const parameters = { ...parametersOf(rule.data[0].model), product: PRODUCT };
    const { rows } = await ask(parameters);
    expect(rows.find((row) => row.feature === DENIED)).toMatchObject({ denials: 18 });
    // no row means that nothing is known
    expect([rows.length, rule.noDataState, rule.execErrState]).toEqual([400, 'NoData', 'Error']);
    await expect(ask(parameters, backendOf({ failing: 'f007' }))).rejects.toThrow('the analyzer has no time');
  });

  it('are in every shape', async () => {
    for (const shape of ['long', 'periods']) {
      const { rows } = await ask({ shape });
      expect([shape, rows.reduce((sum, row) => sum + Number(row.denials ?? 0), 0)]).toEqual([shape, 18]);
    }
    const { rows } = await ask({ shape: 'annotations' });
    expect(rows).toHaveLength(6);
  });

  it('are drawn of 20 features: those with most of them', async () => {
    const from = Number(range.from);
    const query = readQuery({
      target: 'history',
      payload: { product: PRODUCT, feature: '%', shape: 'timeseries', columns: ['Denials'] },
      range: { from, to: Number(range.to) },
      filters: [],
      prefix: '',
    });
    const { items, notices } = await answerTarget(query, backendOf({}), signal);
    expect((items as readonly { title: string }[]).map(({ title }) => title)[0]).toBe(`Denials - ${DENIED}`);
    expect([items.length, notices.map(({ text }) => text)]).toEqual([
      20,
      ['20 of 400 combinations are drawn, those with the most Denials in this time; narrow the selection'],
    ]);
  });

  it('say what is missing, once for all features with the same reason', async () => {
    const { rows, notices } = await ask({ shape: 'totals', with: 'denials' }, backendOf({ failing: DENIED }));
    expect([rows, notices]).toEqual([[], [`feature "${DENIED}": the analyzer has no time`]]);
  });

  it('are asked at most 20 at once', async () => {
    const backend = backendOf({});
    await ask({ shape: 'totals' }, backend);
    expect(backend.most()).toBe(20);
  });

  it('are refused for too many features, and not cut', async () => {
    await expect(ask({ shape: 'totals' }, backendOf({ count: 1001 }))).rejects.toThrow(
      'history: 1,001 combinations of product and feature match, of at most 1,000; narrow the selection',
    );
  });
});

describe('a list that is cut', () => {
  it('says in its rows how many it shows of how many', async () => {
    const columns = ['note', 'feature', 'license_hours'];
    const { rows, notices } = await ask({ shape: 'totals', sort: '-License-hours', top: '2', columns });
    const cut = '2 of 400 rows, by License-hours';
    expect(notices).toEqual([cut]);
    expect(rows.map(({ note }) => note)).toEqual([cut, null, null]);
    const all = await ask({ shape: 'totals', top: '400', columns });
    expect(all.rows.filter(({ note }) => note !== null)).toEqual([]);
  });
});
