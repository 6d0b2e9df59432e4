import type { AnsweredPanel } from './panel-answers.ts';
import {
  barSum,
  byLabel,
  chain,
  checkoutRows,
  DAY,
  daysLeft,
  featureAdvice,
  featureOf,
  featureRows,
  figure,
  heatMap,
  highest,
  holderRows,
  listed,
  number,
  numbers,
  only,
  renewals,
  serverRows,
  shownFeature,
  summed,
  sumOfAll,
  sumOfKnown,
  text,
  useAgainstBought,
} from './panel-parts.ts';
import { type Figures, namedAdvice, sum } from './said-figure.ts';

/** What panels of the dashboards say: figures by what they mean, with the names that pages, rows and metrics have for them. */

type Read = (panel: AnsweredPanel, range: string) => Figures;

/** By the dashboard and the title of a panel. */
export const panelReaders: Readonly<Record<string, Read>> = {
  'license-overview: Exporter, sources, analyzer, servers': chain,
  *'license-overview: Alerts that fire'(panel) {
    for (const severity of ['critical', 'warning', 'info']) {
      const count = figure(panel, severity);
      // of what has not fired, the exporter says so when it has known it for five minutes
      if (count !== undefined) yield [`alerts, ${severity}`, count];
    }
  },
  *'license-overview: Now'(panel) {
    yield ['saturated', figure(panel, 'saturated')];
    yield ['waiting', figure(panel, 'waiting')];
    yield ['users', figure(panel, 'users')];
    yield ['servers with known use', figure(panel, 'known on servers') ?? 0];
  },
  *'license-overview: Expiries'({ rows: [row = {}] }) {
    yield ['expired', number(row, 'expired')];
    yield ['expiring in 7 days', number(row, '≤ 7 d')];
    yield ['expiring in 30 days', number(row, '≤ 30 d')];
  },
  *'license-overview: Needs attention: now, then what is coming'(panel) {
    const rows = listed(panel);
    for (const state of ['critical', 'warning', 'info', 'pending']) {
      yield [`alerts, ${state}`, rows.filter((row) => row.State === state).length];
    }
  },
  *'license-overview: License servers'(panel) {
    yield* serverRows(panel);
    yield ['servers with known users', panel.found.C?.length];
    yield ['vendor licenses', panel.found.A?.length];
    yield ['servers up', panel.found.A?.filter(({ value }) => value !== 4).length];
  },
  'license-overview: Busiest features': featureRows,
  *'license-overview: Servers that were down'({ found: { A: found = [] } }) {
    yield ['servers that were down', found.filter(({ labels }) => labels.vendor_license !== 'all servers').length];
  },
  *'license-vendor-license: Server'(panel) {
    yield [`server of ${panel.vendorLicense}`, figure(panel, 'server')];
  },
  *'license-vendor-license: Now'(panel) {
    const name = panel.vendorLicense;
    yield [`saturated of ${name}`, figure(panel, 'saturated')];
    yield [`waiting of ${name}, all`, figure(panel, 'waiting')];
    yield [`users of ${name}`, figure(panel, 'users')];
  },
  *'license-vendor-license: Expiries'({ vendorLicense: name, rows: [row = {}] }) {
    yield [`expired of ${name}`, number(row, 'expired')];
    yield [`expiring in 30 days of ${name}`, number(row, '≤ 30 d')];
    yield [`expiring in 90 days of ${name}`, number(row, '≤ 90 d')];
    yield [`without date of ${name}`, number(row, 'no date')];
  },
  *'license-vendor-license: Use against bought'(panel, range) {
    yield* useAgainstBought(`${panel.vendorLicense}, all`, panel, range);
  },
  *'license-vendor-license: Features'(panel) {
    yield* featureRows(panel);
    const undated = listed(panel).filter((row) => row.Expires === null);
    // of a server that was never collected, there can be others
    if (undated.length > 0) yield [`without date of ${panel.vendorLicense}`, undated.length];
  },
  'license-vendor-license: Who holds its licenses now': holderRows,
  *'license-vendor-license: Busy hours: most in use, last 7 days'(panel) {
    yield* heatMap(`${panel.vendorLicense}, all`, panel);
  },
  *'license-vendor-license: License-hours'(panel, range) {
    yield [`license-hours of ${panel.vendorLicense}, all, ${range}`, barSum(panel, 'license-hours')];
  },
  *'license-vendor-license: Denials'(panel, range) {
    yield [`denials of ${panel.vendorLicense}, all, ${range}`, barSum(panel, 'denials')];
  },
  *'license-vendor-license: Denials by feature'(panel, range) {
    for (const row of listed(panel)) {
      yield [`denials of ${featureOf(row)}, ${range}`, number(row, 'Denials')];
      yield [`people who waited of ${featureOf(row)}, ${range}`, number(row, 'People')];
      yield [`minutes waited of ${featureOf(row)}, ${range}`, number(row, 'Minutes')];
    }
  },
  *'license-vendor-license: Idle, borrowed and reserved'(panel) {
    for (const [refId, kind] of Object.entries({ A: 'idle', B: 'borrowed', C: 'reserved' })) {
      yield [`${kind} of ${panel.vendorLicense}, all`, only(panel, refId)];
    }
  },
  *'license-vendor-license: Server over time'(panel) {
    yield [`server of ${panel.vendorLicense}`, only(panel, 'A')];
  },
  *'license-feature: Now'(panel) {
    const name = shownFeature(panel);
    const counted = (value: number | undefined) => (value === -1 ? undefined : value);
    const [inUse, bought] = [figure(panel, 'in use'), counted(figure(panel, 'bought'))];
    const share = counted(figure(panel, 'share'));
    yield [`in use of ${name}`, inUse];
    yield [`bought of ${name}`, bought];
    yield [`share of ${name}`, share];
    if (share !== undefined && inUse !== undefined && bought) yield [`share of ${name}`, inUse / bought];
    yield [`waiting of ${name}`, figure(panel, 'waiting')];
  },
  *'license-feature: Idle and expiry'(panel) {
    const name = shownFeature(panel);
    yield [`idle of ${name}`, figure(panel, 'idle')];
    yield* daysLeft(name, figure(panel, 'days left'));
  },
  *'license-feature: Use against bought'(panel, range) {
    yield* useAgainstBought(shownFeature(panel), panel, range);
  },
  'license-feature: Advice': featureAdvice,
  *'license-feature: Who holds it now'(panel) {
    const { vendorLicense, feature } = panel;
    yield* checkoutRows({
      ...panel,
      rows: panel.rows.map((row) => ({ ...row, Feature: feature, 'Vendor license': vendorLicense })),
    });
  },
  *'license-feature: Busy hours: most in use, last 7 days'(panel) {
    yield* heatMap(shownFeature(panel), panel);
  },
  *'license-feature: License-hours'(panel, range) {
    yield [`license-hours of ${shownFeature(panel)}, ${range}`, barSum(panel, 'license-hours')];
  },
  *'license-feature: Denials'(panel, range) {
    yield [`denials of ${shownFeature(panel)}, ${range}`, barSum(panel, 'denials')];
  },
  *'license-feature: Minutes that people waited, by cause'(panel, range) {
    // of a day that is not known, there is no bar
    const minutes = panel.rows.flatMap(({ Period: _, ...causes }) => Object.values(causes) as (number | null)[]);
    const known = sumOfKnown(minutes);
    // bars without a height say nothing of days without a bar, of which nobody is known
    if (known === 0) return;
    yield [`minutes waited of ${shownFeature(panel)}, ${range}`, known];
  },
  *'license-feature: People who waited, by cause'(panel, range) {
    const rows = listed(panel);
    // whether nobody waited, or it is not known, a note says
    if (rows.length === 0) return;
    yield [`people who waited of ${shownFeature(panel)}, ${range}`, sumOfAll(numbers(rows, 'People'))];
    yield [`minutes waited of ${shownFeature(panel)}, ${range}`, sumOfAll(numbers(rows, 'Minutes'))];
  },
  *'license-feature: Hours with at least N in use, last 365 days'(panel, range) {
    // of what was never in use there is no bar, and hours go on while the other ranges are asked
    if (panel.rows.length === 0 || range !== '365 days') return;
    const name = shownFeature(panel);
    yield [`license-hours of ${name}, ${range}`, barSum(panel, 'hours')];
    yield [`peak by the hour of ${name}, ${range}`, highest(panel.rows.map((row) => Number(row.licenses)))];
  },
  *'license-feature: With fewer licenses'(panel) {
    const kept = listed(panel).find(({ Advice: advice }) => advice === 'kept');
    if (kept) yield [`kept by advice of ${shownFeature(panel)}`, number(kept, 'Licenses')];
  },
  *'license-feature: In use, waiting and held, highest values'(panel) {
    const kinds = { A: 'in use', B: 'waiting', C: 'idle', D: 'borrowed', E: 'reserved', F: 'bought' };
    for (const [refId, kind] of Object.entries(kinds)) yield [`${kind} of ${shownFeature(panel)}`, only(panel, refId)];
  },
  *'license-feature: Server over time'(panel) {
    yield [`server of ${panel.vendorLicense}`, only(panel, 'A')];
  },
  *'license-expirations: Features by days left'({ rows: [row = {}] }) {
    yield ['expired', number(row, 'expired')];
    yield ['expiring in 7 days', number(row, '≤ 7 d')];
    yield ['expiring in 21 days', number(row, '≤ 21 d')];
    yield ['expiring in 30 days', number(row, '≤ 30 d')];
  },
  *'license-expirations: Later, or never'({ rows: [row = {}] }) {
    yield ['expiring in 90 days', number(row, '≤ 90 d')];
    yield ['expiring later', number(row, '> 90 d')];
    yield ['without date', number(row, 'no date')];
  },
  *'license-expirations: Upcoming expiries by month'({ rows }) {
    for (const row of rows) {
      const count = number(row, 'features expiring');
      if (count !== 0 && row.Month !== 'permanent') yield [`expiring in a month, ${text(row, 'Month')}`, count];
    }
  },
  *'license-expirations: Upcoming'(panel) {
    const rows = listed(panel);
    const within = (limit: number): number => rows.filter((row) => (number(row, 'Days left') ?? limit) < limit).length;
    for (const limit of [7, 21, 30, 90]) yield [`expiring in ${limit} days`, within(limit)];
    yield ['expiring later', rows.length - within(90)];
    for (const [month, own] of Map.groupBy(rows, (row) => text(row, 'Expires').slice(0, 7))) {
      yield [`expiring in a month, ${month}`, own.length];
    }
    for (const [name, own] of Map.groupBy(rows, featureOf)) {
      yield* daysLeft(name, Math.min(...own.map((row) => number(row, 'Days left') ?? Infinity)));
    }
    for (const [name, own] of Map.groupBy(rows, (row) => text(row, 'Vendor license'))) {
      for (const limit of [30, 90]) {
        const soon = own.filter((row) => (number(row, 'Days left') ?? limit) < limit);
        yield [`expiring in ${limit} days of ${name}`, soon.length];
      }
    }
  },
  *'license-expirations: Expired'(panel) {
    const rows = listed(panel);
    yield ['expired', rows.length];
    for (const [name, own] of Map.groupBy(rows, featureOf))
      yield* daysLeft(name, -(highest(numbers(own, 'Days ago')) ?? 0));
    for (const [name, own] of Map.groupBy(rows, (row) => text(row, 'Vendor license'))) {
      yield [`expired of ${name}`, own.length];
    }
  },
  *'license-exporter: Series of license data'(panel, range) {
    yield [`series of the exporter, ${range}`, figure(panel, 'series')];
  },
  *'license-exporter: Sources'({ found }) {
    const up = byLabel(found.A, 'source');
    if (up.size === 0) return;
    yield ['sources up', sum(up.values())];
    yield ['number of sources', up.size];
  },
  *'license-exporter: Polls'({ found: { A: found = [] } }) {
    yield ['endpoints up', sum(found.map(({ value }) => value))];
    yield ['number of endpoints', found.length];
  },
  *'license-exporter: Series exported'(panel, range) {
    yield [`series of the exporter, ${range}`, only(panel, 'A')];
  },
  *'license-holders: Licenses now'({ rows: [row = {}] }) {
    for (const kind of ['in use', 'idle', 'borrowed', 'reserved']) yield [`${kind}, all`, number(row, kind)];
    yield ['waiting', number(row, 'waiting')];
  },
  *'license-holders: Idle checkouts'(panel) {
    yield* summed('idle', listed(panel), 'Licenses');
  },
  'license-holders: Who holds licenses now': holderRows,
  *'license-optimisation: Sure saving a year'({ rows }) {
    yield ['saving', rows.length === 0 ? 'none' : rows.map((row) => `${row.Currency} ${row.Saving}`).join(', ')];
  },
  *'license-optimisation: Features to reduce'({ rows: [row = {}] }) {
    yield ['features that could go', number(row, 'could go')];
    yield ['provisional advice', number(row, 'maybe')];
    yield ['features whose notice has passed', number(row, 'notice passed')];
    yield ['permanent features to spare', number(row, 'permanent')];
  },
  *'license-optimisation: Features with too few'({ rows: [row = {}] }) {
    yield ['features that lack licenses', number(row, 'missing')];
    yield ['features that run out', number(row, 'run out')];
  },
  *'license-optimisation: Denials, 365 d'({ rows: [row = {}] }) {
    yield ['denials, 365 days', number(row, 'denials')];
  },
  'license-optimisation: By renewal': renewals,
  *'license-optimisation: Denials, 365 days to yesterday'(panel) {
    const rows = listed(panel);
    if (rows.length > 0) yield ['denials, 365 days', sumOfAll(numbers(rows, 'Denials'))];
    for (const row of rows) {
      yield [`denials before today of ${featureOf(row)}, 365 days`, number(row, 'Denials')];
      if (number(row, 'Days') === null) continue;
      yield [
        `days refused, ${namedAdvice(text(row, 'Feature'), text(row, 'Vendor license'), '')}`,
        number(row, 'Days'),
      ];
    }
  },
  *'license-holders: Idle now'(panel) {
    yield* summed('idle', listed(panel), 'Idle');
  },
  *'license-holders: Borrowed now'(panel) {
    yield* summed('borrowed', listed(panel), 'Borrowed');
  },
  *'license-holders: Reserved, not used'(panel) {
    yield* summed('reserved', listed(panel), 'Unused');
    for (const [name, own] of Map.groupBy(listed(panel), featureOf)) {
      if (own.length === 1) yield [`waiting of ${name}`, sumOfKnown(numbers(own, 'Waiting'))];
    }
  },
  *'license-optimisation: Runs out'(panel) {
    const soon = new Date(Date.now() + 120 * DAY).toISOString().slice(0, 10);
    const rows = listed(panel);
    if (rows.length > 0) yield ['features that run out', rows.filter((row) => text(row, 'Runs out') <= soon).length];
  },
};
