import { describe, expect, it } from 'vitest';
import { createLocalTime, dayOfDate } from '../../../src/base/model/local-time.ts';
import type { EndedWaits, WaitingPeople } from '../../../src/base/model/observation/observation.ts';
import type { Backend, ReadWaits, WaitedDay } from '../../../src/site/grafana/answers/backend.ts';
import { answerRows } from '../../../src/site/grafana/protocols/rows.ts';

/** The rows about people who waited, of features of which more or less is known. */

const localTime = createLocalTime('Europe/Berlin');
const TODAY = dayOfDate(2026, 11, 30);
const NOW = localTime.startOf(TODAY) + 10 * 3600;
const [a, b] = [
  { vendorLicense: 'a;d', feature: 'solver' },
  { vendorLicense: 'a;d', feature: 'mesh' },
] as const;

const day = (of: typeof a | typeof b, ago: number, rest: Partial<WaitedDay> = {}): WaitedDay => ({
  ...of,
  package: '',
  day: TODAY - ago,
  waits: [],
  now: undefined,
  elsewhere: undefined,
  ...rest,
});
const ended = (
  cause: EndedWaits['cause'],
  how: EndedWaits['ended'],
  episodes: number,
  people: number,
  seconds: number,
) => ({ cause, ended: how, episodes, people, seconds }) as const;
const waiting = (cause: WaitingPeople['cause'], people: number, fresh: number, seconds: number): WaitingPeople => ({
  cause,
  people,
  fresh,
  seconds,
  since: NOW - seconds,
});

/** Two packages of a feature, one of which is not known yesterday. */
const found: readonly WaitedDay[] = [
  day(a, 2),
  day(a, 1, { waits: [ended('all_busy', 'got', 3, 2, 600), ended('all_busy', 'gave_up', 1, 1, 60)] }),
  day(a, 0, {
    waits: [ended('free_elsewhere', 'got', 1, 1, 90)],
    now: [waiting('all_busy', 2, 1, 180)],
    elsewhere: { vendorLicense: 'b;d', licenses: 3 },
  }),
  day(a, 0, { package: 'suite', now: [waiting('all_busy', 1, 1, 30)] }),
  day(b, 1, { waits: undefined }),
  day(b, 0, { now: [] }),
];

const signal = new AbortController().signal;
const backendOf = (waits: ReadWaits): Backend =>
  ({ inventory: () => undefined, waits, localTime, now: () => NOW }) as unknown as Backend;
const known: ReadWaits = async (from, to, isAskedFor) =>
  found.filter((one) => one.day >= from && one.day < to && isAskedFor(one));

async function ask(parameters: Readonly<Record<string, string | readonly string[]>>, waits: ReadWaits = known) {
  const { rows, notices } = await answerRows('blocked', { product: 'a;d', ...parameters }, backendOf(waits), signal);
  return { rows: [...rows], notices: notices.map(({ text }) => text) };
}

describe('the rows of people who waited', () => {
  it('have what is known of each day: 0 where nobody waited, no row where it is not known, and those who wait now', async () => {
    const { rows, notices } = await ask({});
    const row = (date: string, feature: string, ...cells: readonly (string | number | null)[]) => {
      const [cause, how, episodes, people, minutes] = cells;
      return { day: `2026-11-${date}`, product: 'a;d', feature, cause, ended: how, episodes, people, minutes };
    };
    expect(rows).toEqual([
      row('30', 'solver', 'free on another vendor license', 'got a license', 1, 1, 1.5),
      row('30', 'solver', 'all busy', 'waits now', 3, 2, 3.5),
      row('30', 'mesh', null, null, 0, 0, 0),
      row('29', 'solver', 'all busy', 'got a license', 3, 2, 10),
      row('29', 'solver', 'all busy', 'gave up', 1, 1, 1),
      row('28', 'solver', null, null, 0, 0, 0),
    ]);
    expect(notices).toEqual(['who waited is not known of 1 feature on 1 day']);
    await expect(ask({ complete: 'true' })).rejects.toMatchObject({ code: 'people_not_known' });
    expect((await ask({ feature: 'solver', complete: 'true', with: 'episodes' })).rows).toHaveLength(4);
  });

  it('are those of the days of the time range', async () => {
    const midnight = (ago: number): string => String(localTime.startOf(TODAY - ago) * 1000);
    const { rows } = await ask({ from: midnight(1), to: midnight(0), columns: ['day', 'minutes'], feature: 'solver' });
    expect(rows).toEqual([
      { day: '2026-11-29', minutes: 10 },
      { day: '2026-11-29', minutes: 1 },
    ]);
  });

  it('are added up by day with a column for each cause', async () => {
    const columns = ['period', 'people', 'episodes', 'minutes', 'all_busy', 'free_elsewhere', 'held_idle'];
    const { rows } = await ask({ shape: 'periods', columns });
    const row = (period: string, ...[people, episodes, minutes, busy, elsewhere, idle]: readonly number[]) => ({
      period,
      people,
      episodes,
      minutes,
      all_busy: busy,
      free_elsewhere: elsewhere,
      held_idle: idle,
    });
    expect(rows).toEqual([
      row('2026-11-28', 0, 0, 0, 0, 0, 0),
      row('2026-11-29', 3, 4, 11, 11, 0, 0),
      row('2026-11-30', 3, 4, 5, 3.5, 1.5, 0),
    ]);
    // a day that is not recorded is no day of nobody
    const gap: ReadWaits = async () => [day(a, 4), day(a, 0)];
    const periods = await ask({ shape: 'periods', columns: ['period', 'minutes'], from: '2026-11-01' }, gap);
    expect(periods.rows).toEqual([
      { period: '2026-11-26', minutes: 0 },
      { period: '2026-11-27', minutes: null },
      { period: '2026-11-28', minutes: null },
      { period: '2026-11-29', minutes: null },
      { period: '2026-11-30', minutes: 0 },
    ]);
    // nobody on the known days of a time is not nobody
    const partly: ReadWaits = async () => [day(a, 0), day(b, 0, { waits: undefined })];
    expect((await ask({ shape: 'periods', columns: ['period', 'minutes'] }, partly)).rows).toEqual([
      { period: '2026-11-30', minutes: null },
    ]);
  });

  it('are added up by feature and cause, with what ends it', async () => {
    const { rows } = await ask({ shape: 'totals' });
    const common = { product: 'a;d', feature: 'solver' };
    expect(rows).toEqual([
      {
        ...common,
        cause: 'all busy',
        now: 3,
        episodes: 7,
        people: 5,
        minutes: 14.5,
        remedy: 'All licenses were in use, and none is known to be idle: more licenses end it.',
      },
      {
        ...common,
        cause: 'free on another vendor license',
        now: 0,
        episodes: 1,
        people: 1,
        minutes: 1.5,
        remedy: 'Add that server to the list of servers of these clients. Last, 3 licenses were free on b;d.',
      },
    ]);
    // who waits now is not said of yesterday
    const to = String(localTime.startOf(TODAY) * 1000);
    expect((await ask({ shape: 'totals', to, columns: ['feature', 'now'] })).rows).toEqual([
      { feature: 'solver', now: null },
    ]);
  });

  it('say that nobody waited only where that is known', async () => {
    const asked = { shape: 'totals', columns: ['note', 'feature'], none: 'Nobody waited' };
    const noteOf = async (waits: ReadWaits) => (await ask(asked, waits)).rows;
    const only = (note: string) => [{ note, feature: null }];
    expect(await noteOf(async () => [day(a, 0)])).toEqual(only('Nobody waited'));
    expect(await noteOf(async () => [day(a, 0), day(b, 0, { waits: undefined })])).toEqual(
      only('who waited is not known of 1 feature on 1 day'),
    );
    expect(await noteOf(async () => [])).toEqual(only('who waited is not known: nothing is recorded in this time'));
    expect(await noteOf(async () => ({ reason: '`people` is off' }))).toEqual(
      only('who waited is not known: `people` is off'),
    );
  });
});
