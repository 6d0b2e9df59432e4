import { readLogLine } from '../flexnet/debug-log-line.ts';
import { type Span, spanOf } from './line-spans.ts';

/** Where names stand in the lines of a debug log of FlexNet. */

/** `OUT: "feature" user@host`, of any event. */
const EVENT = /^(.*?\)\s+[A-Z_]+:\s+")([^"]+)"\s+(?:\([^()]*\)\s+)?([^\s([].*)$/;
/** What ends the user. */
const END = /\s(?:\s|\[|\(|"|\^\^\^)/;

export function logSpans(line: string): readonly Span[] {
  const read = readLogLine(line);
  if (read === undefined) return [];
  const daemon = read.daemon === undefined ? undefined : spanOf(line, `(${read.daemon})`, 'name');
  const spans: (Span | undefined)[] = [daemon && { ...daemon, from: daemon.from + 1, to: daemon.to - 1 }];
  const event = typeof read.event === 'object' ? read.event : undefined;
  const [, before = '', feature = event?.feature ?? '', rest] = EVENT.exec(line) ?? [];
  const who = rest?.slice(0, rest.search(END) >>> 0).trim() ?? event?.client ?? '';
  const name = spanOf(line, feature, 'name', before === '' ? daemon?.to : before.length);
  const client = spanOf(line, who, 'user', name?.to);
  spans.push(name, ...clientSpans(who, client));
  return spans.filter((span) => span !== undefined);
}

/** `user@host` */
function clientSpans(who: string, client: Span | undefined): Span[] {
  const at = who.lastIndexOf('@');
  if (client === undefined || at === -1) return client === undefined ? [] : [client];
  return [
    { ...client, to: client.from + at },
    { ...client, from: client.from + at + 1, is: 'host' },
  ];
}
