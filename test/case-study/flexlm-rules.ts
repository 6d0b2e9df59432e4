import { example } from '../support/example-alertmanager.ts';
import { RoutedMessages, type RoutingOptions } from '../support/routed-messages.ts';
import { type Company, START } from './company.ts';
import type { Firing, Watched } from './firing.ts';
import { CLEANED_AFTER, incidentsAt, inUseAt, isServing, linesAt } from './observed.ts';

/**
 * The rules of the README of flexlm_exporter for Prometheus, on what that exporter says of the company: a server that does not
 * answer has the status 0, its features are missing, and licenses that end come from the license file.
 */

const MINUTE = 60;
const DAY = 86_400;
/** The end of licenses is the beginning of its day. */
const expiryOf = (ends: number): number => Math.floor(ends / DAY) * DAY;

interface Rule {
  readonly name: string;
  /** The condition in PromQL. */
  readonly expression: string;
  /** Seconds for which the condition must hold. */
  readonly holds: number;
}

export const rules = {
  down: { name: 'FlexLmServerDown', expression: 'flexlm_server_status == 0', holds: 300 },
  full: {
    ...{ name: 'LicenceAvailable', holds: 300 },
    expression: '100 * (flexlm_feature_used / flexlm_feature_issued) > 95',
  },
  expiring: {
    ...{ name: 'LicenseExpiring', holds: 1800 },
    expression: '((flexlm_feature_expiration_seconds - time()) / 86400) < 14',
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** Of the rule about licenses that end. */
const LEAST_DAYS = 14;

/** A sample. */
export interface Sample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What flexlm_exporter says at a time; nothing if what it asks does not answer. */
export function* samplesAt(company: Company, at: number): Generator<Sample> {
  const wrong = incidentsAt(company, at);
  if (wrong.some(({ what }) => what === 'monitoring')) return;
  for (const [i, server] of company.servers.entries()) {
    const { name: app, hosts } = server;
    const own = wrong.filter((one) => one.server === i);
    const isDown = own.some(({ what }) => what === 'server');
    for (const [h, fqdn] of hosts.entries()) {
      const isUp = !isDown && !(h === 0 && own.some(({ what }) => what === 'host'));
      yield { metric: 'flexlm_server_status', labels: { app, fqdn }, value: isUp ? 1 : 0 };
    }
    const lines = linesAt(server, at);
    const isServed = isServing(lines, at) && !isDown && !own.some(({ what }) => what === 'daemon');
    for (const feature of company.features) {
      if (feature.server !== i) continue;
      const { name } = feature;
      for (const [index, { version, ends }] of lines.entries()) {
        const labels = { app, name, index: String(index), version };
        yield { metric: 'flexlm_feature_expiration_seconds', labels, value: expiryOf(ends) };
      }
      if (!isServed) continue;
      const valid = lines.filter(({ ends }) => at <= ends).length;
      yield { metric: 'flexlm_feature_issued', labels: { app, name }, value: valid * feature.bought };
      yield { metric: 'flexlm_feature_used', labels: { app, name }, value: inUseAt(feature, at) };
    }
  }
}

/** What the condition of a rule holds for. */
interface Condition {
  readonly rule: Rule;
  readonly labels: Sample['labels'];
}

/** The conditions that hold, by their rule and labels. */
function conditionsAt(company: Company, at: number): Map<string, Condition> {
  const found = new Map<string, Condition>();
  const add = (rule: Rule, labels: Sample['labels']): void => {
    found.set(`${rule.name} ${Object.values(labels).join(' ')}`, { rule, labels });
  };
  let issued = 0;
  for (const { metric, labels, value } of samplesAt(company, at)) {
    if (metric === 'flexlm_server_status' && value === 0) add(rules.down, labels);
    if (metric === 'flexlm_feature_expiration_seconds' && (value - at) / DAY < LEAST_DAYS) add(rules.expiring, labels);
    if (metric === 'flexlm_feature_issued') issued = value;
    if (metric === 'flexlm_feature_used' && (100 * value) / issued > 95) add(rules.full, labels);
  }
  return found;
}

/** Times at which a condition can change: all are full minutes. */
function changesOf({ servers, incidents, days }: Company): number[] {
  const end = START + days * DAY;
  const hours = Array.from({ length: days * 24 + 1 }, (_, i) => START + i * 3600);
  const others = [
    ...incidents.flatMap(({ from, to }) => [from, to]),
    ...servers.flatMap(({ contract: { ends, renewed } }) => [
      ...[ends + 1, renewed, ends + CLEANED_AFTER],
      // not yet 14 days ahead to the second
      expiryOf(ends) - LEAST_DAYS * DAY + MINUTE,
    ]),
  ];
  return [...new Set([...hours, ...others])].filter((at) => at >= START && at <= end).sort((a, b) => a - b);
}

/** When the alerts of the rules fire, evaluated every minute. */
function firingsOf(company: Company): Firing[] {
  const active = new Map<string, Condition & { readonly since: number }>();
  const firings: Firing[] = [];
  const end = ({ rule, labels, since }: Condition & { readonly since: number }, to: number): void => {
    const from = since + rule.holds;
    if (from < to) firings.push({ labels: { alertname: rule.name, ...labels }, from, to });
  };
  const changes = changesOf(company);
  for (const at of changes.slice(0, -1)) {
    const found = conditionsAt(company, at);
    for (const [key, one] of active) {
      if (found.has(key)) continue;
      active.delete(key);
      end(one, at);
    }
    for (const [key, one] of found) if (!active.has(key)) active.set(key, { ...one, since: at });
  }
  for (const one of active.values()) end(one, changes.at(-1) as number);
  return firings;
}

const own = {
  ...{ time_intervals: [], inhibit_rules: [], sendsResolved: new Map([['team', true]]) },
  route: { receiver: 'team', group_by: ['alertname'], group_wait: '30s', group_interval: '5m', repeat_interval: '12h' },
};

/**
 * How the alerts go to people. The rules come without a configuration.
 * - `own`: one receiver, with times that are usual
 * - `routed`: the same kind of routes as in our example: a message about each server, again after a day, and full pools and ends of
 *   licenses in the hour of the digest, again after five days
 */
const routings = {
  own,
  routed: {
    ...own,
    time_intervals: example.time_intervals,
    sendsResolved: new Map([...own.sendsResolved, ['digest', false]]),
    route: {
      ...{ ...own.route, group_by: ['app'], repeat_interval: '1d' },
      routes: [
        {
          ...{ receiver: 'digest', matchers: [`alertname=~"${rules.full.name}|${rules.expiring.name}"`], group_by: [] },
          ...{ group_wait: '5m', group_interval: '1h', repeat_interval: '5d' },
          active_time_intervals: ['digest-hour'],
        },
      ],
    },
  },
} as const satisfies Readonly<Record<string, RoutingOptions>>;

/** The year with the rules. */
export function watchRules(company: Company, routing: keyof typeof routings = 'own'): Watched {
  const firings = firingsOf(company);
  const routed = new RoutedMessages(routings[routing]);
  const events = firings.flatMap(({ labels, from, to }) => [
    { at: from, alert: { labels, startsAt: from, endsAt: Number.POSITIVE_INFINITY } },
    { at: to, alert: { labels, startsAt: from, endsAt: to } },
  ]);
  for (const { at, alert } of events.sort((a, b) => a.at - b.at)) {
    routed.advance(at);
    routed.put(alert);
  }
  routed.advance(START + company.days * DAY);
  return { firings, messages: routed.messages };
}
