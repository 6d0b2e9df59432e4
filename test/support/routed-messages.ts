import type { Labels } from '../../src/alerting/alerts/alert.ts';
import type { Route } from './example-alertmanager.ts';

/**
 * The messages of Alertmanager 0.25 by its routes, groups, intervals and inhibitions, in simulated time: what its dispatcher, its
 * notification log and its stages of muting do.
 */

/** An alert that Alertmanager has stored. Times are epoch seconds. */
export interface StoredAlert {
  readonly labels: Labels;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** One message to one receiver. */
export interface RoutedMessage {
  readonly at: number;
  readonly receiver: string;
  readonly firing: readonly Labels[];
  readonly resolved: readonly Labels[];
}

export interface Interval {
  readonly name: string;
  readonly time_intervals: readonly {
    readonly weekdays?: readonly string[];
    readonly times?: readonly { readonly start_time: string; readonly end_time: string }[];
    readonly location?: string;
  }[];
}

export interface Inhibition {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal?: readonly string[];
}

export interface RoutingOptions {
  readonly route: Route;
  readonly time_intervals: readonly Interval[];
  readonly inhibit_rules: readonly Inhibition[];
  /** By the name of a receiver with an integration: whether it sends the end of alerts. */
  readonly sendsResolved: ReadonlyMap<string, boolean>;
}

/** Of `--data.retention`, seconds. */
const RETENTION = 5 * 86_400;
/** Seconds between two looks for groups that are empty. */
const CLEANED_EVERY = 30;

const secondsOf = (text: string): number =>
  [...text.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * ({ d: 86_400, h: 3600, m: 60, s: 1 }[unit ?? ''] ?? Number.NaN),
    0,
  );

type Matches = (labels: Labels) => boolean;

/** Whether labels match all of some matchers, such as `severity="info"`. */
function matcherOf(matchers: readonly string[] = []): Matches {
  const all = matchers.map((text): Matches => {
    const [, name = '', operator = '', value = ''] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(text) ?? [];
    if (name === '') throw new Error(`the matcher ${text} is not understood`);
    const pattern = new RegExp(`^(?:${operator.endsWith('~') ? value : value.replace(/[^\w ]/g, '\\$&')})$`);
    return (labels) => pattern.test(labels[name] ?? '') !== operator.startsWith('!');
  });
  return (labels) => all.every((matches) => matches(labels));
}

/** A route with what it has from those above it. Times are seconds. */
interface Node {
  readonly receiver: string;
  readonly groupBy: readonly string[];
  readonly wait: number;
  readonly interval: number;
  readonly repeat: number;
  readonly active: readonly string[];
  readonly matches: Matches;
  readonly goesOn: boolean;
  readonly routes: readonly Node[];
}

const top: Pick<Node, 'receiver' | 'groupBy' | 'wait' | 'interval' | 'repeat'> = {
  ...{ receiver: '', groupBy: [], wait: 30, interval: 300, repeat: 4 * 3600 },
};

function nodeOf(route: Route, above: typeof top): Node {
  const time = (text: string | undefined, inherited: number): number =>
    text === undefined ? inherited : secondsOf(text);
  const own = {
    receiver: route.receiver ?? above.receiver,
    groupBy: route.group_by ?? above.groupBy,
    wait: time(route.group_wait, above.wait),
    interval: time(route.group_interval, above.interval),
    repeat: time(route.repeat_interval, above.repeat),
  };
  return {
    ...own,
    // only these are not inherited
    active: route.active_time_intervals ?? [],
    matches: matcherOf(route.matchers),
    goesOn: route.continue ?? false,
    routes: (route.routes ?? []).map((each) => nodeOf(each, own)),
  };
}

function routesOf(node: Node, labels: Labels): readonly Node[] {
  if (!node.matches(labels)) return [];
  const found: Node[] = [];
  for (const child of node.routes) {
    const matched = routesOf(child, labels);
    found.push(...matched);
    if (matched.length > 0 && !child.goesOn) break;
  }
  return found.length > 0 ? found : [node];
}

/** The routes of an alert. */
export const createRouter = (route: Route): ((labels: Labels) => readonly Node[]) => {
  const root = nodeOf(route, top);
  return (labels) => routesOf(root, labels);
};

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Whether a time is in an interval. Those that the example does not use are not understood. */
function isWithin({ time_intervals: all }: Interval, at: number): boolean {
  return all.some(({ weekdays: days = ['sunday:saturday'], times, location = 'UTC' }) => {
    const format = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: location, weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    });
    const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, value]));
    const day = weekdays.indexOf(parts.weekday?.toLowerCase() ?? '');
    const clock = `${parts.hour}:${parts.minute}`;
    const isDay = days.some((range) => {
      const [first = -1, last = first] = range.split(':').map((name) => weekdays.indexOf(name));
      return day >= first && day <= last;
    });
    return isDay && (times?.some(({ start_time: start, end_time: end }) => clock >= start && clock < end) ?? true);
  });
}

/** Identifies an alert by its labels. */
export const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort());

interface Group {
  readonly node: Node;
  readonly key: string;
  readonly alerts: Map<string, StoredAlert>;
  next: number;
  hasFlushed: boolean;
}

/** What was sent last about a group. */
interface Sent {
  readonly at: number;
  readonly firing: ReadonlySet<string>;
  readonly resolved: ReadonlySet<string>;
}

export class RoutedMessages {
  readonly messages: RoutedMessage[] = [];
  readonly #options: RoutingOptions;
  readonly #root: Node;
  readonly #groups = new Map<string, Group>();
  readonly #log = new Map<string, Sent>();
  readonly #alerts = new Map<string, StoredAlert>();
  readonly #inhibitions: readonly { source: Matches; target: Matches; equal: readonly string[] }[];
  /** A number for each route. */
  readonly #numbers = new Map<Node, number>();
  #now = Number.NEGATIVE_INFINITY;
  #cleanAt = Number.NEGATIVE_INFINITY;

  constructor(options: RoutingOptions) {
    this.#options = options;
    this.#root = nodeOf(options.route, top);
    this.#inhibitions = options.inhibit_rules.map(({ source_matchers, target_matchers, equal = [] }) => ({
      source: matcherOf(source_matchers),
      target: matcherOf(target_matchers),
      equal,
    }));
  }

  /** Takes an alert as it is stored: new, sent again, or ended. */
  put(alert: StoredAlert): void {
    const key = keyOf(alert.labels);
    this.#alerts.set(key, alert);
    for (const node of routesOf(this.#root, alert.labels)) {
      const number = this.#numbers.get(node) ?? this.#numbers.size;
      this.#numbers.set(node, number);
      const name = JSON.stringify([number, ...node.groupBy.map((label) => alert.labels[label] ?? '')]);
      const known = this.#groups.get(name);
      const group = known ?? {
        ...{ node, key: name, alerts: new Map(), next: this.#now + node.wait, hasFlushed: false },
      };
      this.#groups.set(name, group);
      group.alerts.set(key, alert);
      if (!group.hasFlushed && alert.startsAt + node.wait < this.#now) group.next = this.#now;
    }
  }

  /** Sends what is due until then. */
  advance(to: number): void {
    for (;;) {
      const due = this.#groups
        .values()
        .filter(({ next }) => next <= to)
        .toArray()
        .sort((a, b) => a.next - b.next)[0];
      this.#clean(due?.next ?? to);
      if (due === undefined) break;
      if (this.#groups.get(due.key) === due) this.#flush(due, due.next);
    }
    this.#now = to;
  }

  #clean(at: number): void {
    if (at < this.#cleanAt) return;
    this.#cleanAt = at + CLEANED_EVERY;
    for (const [name, { alerts }] of this.#groups) if (alerts.size === 0) this.#groups.delete(name);
  }

  #flush(group: Group, at: number): void {
    const all = [...group.alerts];
    group.next = at + group.node.interval;
    group.hasFlushed = true;
    if (all.length > 0) this.#notify(group, all, at);
    // also what is held back by a time interval
    for (const [key, { endsAt }] of all) if (endsAt <= at) group.alerts.delete(key);
  }

  #notify({ node, key: name }: Group, all: readonly (readonly [string, StoredAlert])[], at: number): void {
    const heard = all.filter(([, { labels }]) => !this.#isInhibited(labels, at));
    const intervals = this.#options.time_intervals.filter((interval) => node.active.includes(interval.name));
    const isActive = node.active.length === 0 || intervals.some((interval) => isWithin(interval, at));
    const sendsResolved = this.#options.sendsResolved.get(node.receiver);
    if (heard.length === 0 || !isActive || sendsResolved === undefined) return;
    const [firing, resolved] = [true, false].map(
      (fires) => new Map(heard.filter(([, { endsAt }]) => endsAt > at === fires)),
    ) as [Map<string, StoredAlert>, Map<string, StoredAlert>];
    if (!this.#isDue(name, node, firing, resolved, sendsResolved, at)) return;
    this.#log.set(name, { at, firing: new Set(firing.keys()), resolved: new Set(resolved.keys()) });
    if (firing.size === 0 && !sendsResolved) return;
    const labelsOf = (alerts: Map<string, StoredAlert>): Labels[] => [...alerts.values()].map(({ labels }) => labels);
    const ended = sendsResolved ? labelsOf(resolved) : [];
    this.messages.push({ at, receiver: node.receiver, firing: labelsOf(firing), resolved: ended });
  }

  #isDue(
    name: string,
    { repeat }: Node,
    firing: ReadonlyMap<string, unknown>,
    resolved: ReadonlyMap<string, unknown>,
    sendsResolved: boolean,
    at: number,
  ): boolean {
    const logged = this.#log.get(name);
    const last = logged !== undefined && at - logged.at < Math.min(RETENTION, 2 * repeat) ? logged : undefined;
    if (last === undefined) return firing.size > 0;
    if (firing.keys().some((key) => !last.firing.has(key))) return true;
    if (firing.size === 0) return last.firing.size > 0;
    if (sendsResolved && resolved.keys().some((key) => !last.resolved.has(key))) return true;
    return last.at < at - repeat;
  }

  #isInhibited(labels: Labels, at: number): boolean {
    return this.#inhibitions.some(
      ({ source, target, equal }) =>
        target(labels) &&
        this.#alerts
          .values()
          .some(
            (cause) =>
              cause.endsAt > at &&
              source(cause.labels) &&
              equal.every((name) => (cause.labels[name] ?? '') === (labels[name] ?? '')),
          ),
    );
  }
}
