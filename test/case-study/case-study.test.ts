import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { peer } from '../support/peers.ts';
import { findAlerts } from '../support/promtool.ts';
import { drawCompany, START } from './company.ts';
import { watchYear } from './engine-year.ts';
import { figuresOf } from './figures.ts';
import { reaching } from './firing.ts';
import { rules, samplesAt, watchRules } from './flexlm-rules.ts';
import { meanings, valuesOf, waysTable } from './tables.ts';

/** The parts of `npm run case-study` that are quick enough, and what docs/case-study.md says of them. */

const MINUTE = 60;
const DAYS = 12;
const company = drawCompany({ seed: 46, features: 12, servers: 4, days: DAYS });

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
    const watched = await watchYear(company);
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
  });
});

describe('docs/case-study.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/case-study.md'), 'utf8');
  const whole = drawCompany({ seed: 1, features: 100, servers: 10, days: 365 });

  it('has what the ways of counting bring', () => {
    expect(page).toContain(waysTable(whole));
  });

  it('has what the rules of flexlm_exporter are worth', () => {
    const [first = '', , ...rows] = page.slice(page.indexOf('| in the year |')).split('\n\n')[0]?.split('\n') ?? [];
    expect(first).toContain('flexlm_exporter');
    const column = rows.map((row) => row.split('|')[2]?.trim());
    expect(column).toEqual(valuesOf(figuresOf(whole, watchRules(whole), meanings.flexlm)));
  });
});
