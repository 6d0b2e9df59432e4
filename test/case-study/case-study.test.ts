import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { peer } from '../support/peers.ts';
import { findAlerts } from '../support/promtool.ts';
import { drawCompany, START } from './company.ts';
import { watchYear } from './engine-year.ts';
import { figuresOf } from './figures.ts';
import { type Firing, reaching, type Watched } from './firing.ts';
import { rules, samplesAt, watchRules } from './flexlm-rules.ts';
import { messageFigures } from './message-figures.ts';
import { missedFigures } from './missed.ts';
import { meanings, messagesTable, rulesWays, valuesOf, waysTable } from './tables.ts';

/** The parts of `npm run case-study` that are quick enough, and what docs/case-study.md says of them. */

const MINUTE = 60;
const DAYS = 12;
const company = drawCompany({ seed: 46, features: 12, servers: 4, days: DAYS });

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Values that follow each other, in the notation of promtool. */
const notationOf = (values: readonly (number | undefined)[]): string =>
  values.map((value) => (value === undefined ? '_' : String(value))).join(' ');

describe.runIf(peer('promtool'))('the rules of flexlm_exporter', () => {
  it('fire when Prometheus says so', async () => {
    const minutes = DAYS * 24 * 60;
    const series = new Map<string, (number | undefined)[]>();
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const { metric, labels, value } of samplesAt(company, START + minute * MINUTE)) {
        const name = `${metric}{${Object.entries(labels).map(([key, text]) => `${key}="${text}"`)}}`;
        const values = series.get(name) ?? new Array<undefined>(minutes).fill(undefined);
        // the clock of promtool begins at 0
        values[minute] = metric === 'flexlm_feature_expiration_seconds' ? value - START : value;
        series.set(name, values);
      }
    }
    const asked = Array.from({ length: Math.floor(minutes / 7) }, (_, i) => i * 7);
    const test = {
      interval: '1m',
      input_series: [...series].map(([name, values]) => ({ series: name, values: notationOf(values) })),
      promql_expr_test: asked.map((minute) => ({
        expr: 'ALERTS{alertstate="firing"}',
        eval_time: `${minute}m`,
        exp_samples: [],
      })),
    };
    const alerting = Object.values(rules).map(({ name, expression, holds }) => ({
      ...{ alert: name, expr: expression, for: `${holds}s`, labels: {}, annotations: {} },
    }));
    const found = await findAlerts(test, { groups: [{ name: 'flexlm', rules: alerting }] });
    const textOf = (minute: number, labels: Readonly<Record<string, string>>): string => {
      const { alertstate: _, ...others } = labels;
      return `${minute} ${JSON.stringify(Object.entries(others).sort())}`;
    };
    const { firings } = watchRules(company);
    const expected = asked.flatMap((minute) => {
      const at = START + minute * MINUTE;
      return firings.filter(({ from, to }) => from <= at && at < to).map(({ labels }) => textOf(minute, labels));
    });
    expect(expected.length).toBeGreaterThan(100);
    expect(found.map(({ minute, labels }) => textOf(minute, labels)).sort()).toEqual(expected.sort());
  });
});

describe('the alerts of license-exporter', () => {
  it('name each outage until it ends, and only what is down', async () => {
    const { routed: watched, mailed } = await watchYear(company);
    const figures = figuresOf(company, watched, meanings.licenseExporter);
    expect(figures).toMatchObject({
      ...{ outages: company.incidents.filter(({ what }) => what === 'server' || what === 'daemon').length },
      ...{ outagesNoticed: figures.outages, endedEarly: 0, falselyDown: 0, quietDaysWithAlert: 0 },
      ...{ unansweredTimesNoticed: figures.unansweredTimes, refusalDaysNoticed: figures.refusalDays },
    });
    expect(Math.min(figures.outages, figures.unansweredTimes, figures.refusalDays)).toBeGreaterThan(0);
    expect(figures.delay).toBeLessThanOrEqual(10);
    // what follows from it is in no message, also when the outage ends
    const names = new Set(reaching(watched).map(({ labels }) => labels.alertname));
    expect(names).toContain('LicenseSourceDown');
    expect(names).not.toContain('LicenseServerDown');
    for (const one of [watched, mailed]) {
      const missed = missedFigures(company, one, meanings.licenseExporter);
      for (const { all, missed: count } of Object.values(missed)) expect(count).toBeLessThanOrEqual(all);
      expect(missed).toMatchObject({ outages: { missed: 0 }, unanswered: { missed: 0 }, redundancy: { missed: 0 } });
      expect(Math.min(missed.outages.all, missed.unanswered.all, missed.redundancy.all)).toBeGreaterThan(0);
      // without any message, all is missed
      const silent = missedFigures(company, { ...one, messages: [] }, meanings.licenseExporter);
      for (const { all, missed: count } of Object.values(silent)) expect(count).toBe(all);
      const { messages, byAlert } = messageFigures(one, DAYS);
      expect(messages).toBe(one.messages.length);
      expect(sumOf([...byAlert.values()].map((count) => count.messages))).toBe(messages);
      expect([...byAlert.keys()]).toContain('LicenseSourceDown');
    }
  });
});

describe('the figures of messages', () => {
  const down = { alertname: 'Down' };
  const full = { alertname: 'Full' };
  /** A Monday, 0:00 in Berlin. */
  const monday = Date.UTC(2026, 10, 15, 23) / 1000;
  const at = (day: number, hour: number): number => monday + day * 86_400 + hour * 3600;
  const firings = [
    { labels: down, from: at(0, 1), to: at(0, 3) },
    { labels: down, from: at(0, 4), to: at(0, 5) },
    { labels: full, from: at(0, 2), to: at(3, 0) },
  ] as const;
  const message = (time: number, firing: Firing['labels'][], resolved: Firing['labels'][] = []) => ({
    ...{ at: time, receiver: 'team', firing, resolved },
  });

  it('tell news from repeats, and when people get them', () => {
    const messages = [
      message(at(0, 1), [down]),
      message(at(0, 2), [down, full]),
      message(at(0, 4), [down, full]),
      message(at(0, 7), [full], [down]),
      message(at(1, 17.9), [full]),
      message(at(1, 18), [full]),
      message(at(5, 12), [], [full]),
    ];
    expect(messageFigures({ firings, messages }, 7)).toEqual({
      ...{ messages: 7, repeats: 2, perDay: 1, worstDay: 4, busyDays: 1, outside: 5 },
      byAlert: new Map([
        ['Full', { messages: 4, repeats: 2 }],
        ['Down', { messages: 3, repeats: 0 }],
      ]),
    });
  });

  it('take an alert as named by a message that says twice that it has ended', () => {
    const reached = (messages: Watched['messages']): Firing[] => reaching({ firings, messages });
    expect(reached([])).toEqual([]);
    expect(reached([message(at(0, 7), [], [down])])).toEqual([firings[1]]);
    expect(reached([message(at(0, 7), [], [down, down])])).toEqual([firings[0], firings[1]]);
    expect(reached([message(at(0, 2), [down])])).toEqual([firings[0]]);
    expect(reached([message(at(0, 3.5), [down])])).toEqual([]);
  });
});

describe('docs/case-study.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/case-study.md'), 'utf8');
  const whole = drawCompany({ seed: 1, features: 100, servers: 10, days: 365 });

  it('has what the ways of counting bring', () => {
    expect(page).toContain(waysTable(whole));
  });

  const own = watchRules(whole);
  /** The columns of a table, without its rows of rules and heads. */
  const columnsOf = (table: string, columns: readonly number[]): string[] =>
    (table.split('\n\n')[0]?.split('\n') ?? []).map((row) =>
      columns.map((column) => row.split('|')[column]?.trim() ?? '').join(' | '),
    );

  it('has what the rules of flexlm_exporter are worth', () => {
    const [first = '', , ...rows] = columnsOf(page.slice(page.indexOf('| in the year |')), [2]);
    expect(first).toContain('flexlm_exporter');
    expect(rows).toEqual(valuesOf(figuresOf(whole, own, meanings.flexlm)));
  });

  it('has the messages of the rules of flexlm_exporter, also with routes', () => {
    const ways = rulesWays(own, watchRules(whole, 'routed'));
    const messages = messagesTable(ways, whole.days, whole);
    const found = page.slice(page.indexOf('| in 365 days |'));
    expect(columnsOf(found, [1, 2, 3])).toEqual(columnsOf(messages, [1, 2, 3]));
  });
});
