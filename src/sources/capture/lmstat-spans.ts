import {
  readDaemon,
  readMember,
  readPoolHead,
  readReservation,
  readServerList,
  readUsersOf,
} from '../flexnet/lmstat-lines.ts';
import { TextBlock } from '../flexnet/text-block.ts';
import { findParts, findPartsWithoutVersion, UserLineParts } from '../flexnet/user-line.ts';
import type { SourceTime } from '../times.ts';
import { type Span, spanOf } from './line-spans.ts';
import type { Role } from './stand-ins.ts';

/** Where names stand in the lines of `lmstat -a`, by the readers of these lines. */

const USERS_OF = 'Users of ';
const HOLDERS: Readonly<Record<string, Role>> = { USER: 'user', HOST: 'host', INTERNET: 'host', DISPLAY: 'display' };

const present = (spans: readonly (Span | undefined)[]): Span[] => spans.filter((span) => span !== undefined);

/** Where names stand in the rows of `lmstat -i`. Between them are numbers and a date. */
export function inventorySpans(line: string, isUnderstood: boolean): readonly Span[] {
  const isRow = isUnderstood && /\s(?:permanent|\d{1,2}-[a-z]{3}-\d{1,4})/i.test(line) && !/[:@]\s/.test(line);
  const words = isRow ? [...line.matchAll(/\S+/g)] : [];
  return words.flatMap(({ 0: word, index }): Span[] => {
    const span = { from: index, to: index + word.length };
    if (/^\d{1,15}$/.test(word)) return [{ ...span, is: 'kept' }];
    const isText = /^(?:uncounted|permanent.*|\(?no|expiration|date\)|\d{1,2}-[a-z]{3}-\d{1,4})$/i.test(word);
    return isText ? [] : [{ ...span, is: /^\d/.test(word) ? 'version' : 'name' }];
  });
}

/** @param isUnderstood whether the parser understands the line. Otherwise only users are found. */
export function lmstatSpans(line: string, isUnderstood: boolean, localTime: SourceTime): readonly Span[] {
  const user = userSpans(line);
  if (user !== undefined || !isUnderstood) return user ?? [];
  return usersOfSpans(line) ?? poolSpans(line, localTime) ?? reservationSpans(line) ?? serverSpans(line);
}

function userSpans(line: string): Span[] | undefined {
  const block = new TextBlock(line);
  const parts = new UserLineParts();
  const isUser = findParts(block, 0, line.length, parts) || findPartsWithoutVersion(block, 0, line.length, parts);
  if (!isUser || line.trimStart().startsWith('vendor_string:')) return undefined;
  const { leftEnd, versionFrom, versionTo, serverFrom, serverTo, handleFrom, handleTo } = parts;
  const handle = line.slice(handleFrom, handleTo);
  return [
    ...leftSpans(line.slice(0, leftEnd), line.slice(parts.tailFrom), line.slice(versionFrom, versionTo)),
    { from: versionTo > versionFrom ? versionFrom - 1 : versionFrom, to: versionTo, is: 'version' },
    { from: serverFrom, to: serverTo, is: 'server' },
    { from: handleFrom, to: handleTo, is: /^\d{1,15}$/.test(handle) ? 'kept' : 'display' },
  ];
}

/** User, host and display. The user may be quoted. */
function leftSpans(left: string, tail: string, version: string): Span[] {
  const quoted = /^\s*"[^"]*"(?=\s)/.exec(left)?.[0] ?? '';
  const words = [...left.slice(quoted.length).matchAll(/\S+/g)].map(({ 0: word, index }, at): Span => {
    const from = quoted.length + index;
    return { from, to: from + word.length, is: displayOf(word) ?? (at < 2 ? 'host' : 'display') };
  });
  const last = words.at(-1);
  // a queued request repeats its version there
  const isVersion = last !== undefined && tail.includes('queued for') && left.slice(last.from).trim() === version;
  const named = isVersion ? words.slice(0, -1) : words;
  const [first, ...others] = quoted === '' ? named : [{ from: 0, to: quoted.length, is: 'user' as const }, ...named];
  const user: Span[] = first === undefined ? [] : [{ ...first, is: 'user' }];
  return [...user, ...others, ...(isVersion ? [{ ...last, is: 'version' as const }] : [])];
}

/** Displays that name nothing. */
const displayOf = (word: string): 'kept' | undefined =>
  /^(?:JavaDisplay|\/dev\/(?:tty|pts\/|console|null)\d{0,3}|:\d{1,2}(?:\.\d{1,2})?)$/.test(word) ? 'kept' : undefined;

function usersOfSpans(line: string): Span[] | undefined {
  const text = line.trim();
  if (!text.startsWith(USERS_OF)) return undefined;
  const rest = text.slice(USERS_OF.length);
  const name = /^features served by (\S+?):?$/i.exec(rest)?.[1] ?? readUsersOf(rest)?.name;
  if (name === undefined) return undefined;
  const first = spanOf(line, name, 'name', line.indexOf(USERS_OF) + USERS_OF.length);
  return present([first, spanOf(line, ` ${name}:`, 'name', first?.to)]).map((span, at) =>
    at === 0 ? span : { ...span, from: span.from + 1, to: span.to - 1 },
  );
}

function poolSpans(line: string, localTime: SourceTime): Span[] | undefined {
  const { feature, version = '', vendor = '' } = readPoolHead(line.trim(), localTime) ?? {};
  if (feature === undefined) return undefined;
  const name = spanOf(line, feature, 'name');
  const after = (name?.to ?? 0) + 3;
  return present([
    name,
    spanOf(line, `v${version}`, 'version', after - 1),
    spanOf(line, vendor, 'name', line.toLowerCase().indexOf('vendor:', after) + 'vendor:'.length),
  ]);
}

function reservationSpans(line: string): Span[] | undefined {
  const { kind = '', holder = '' } = readReservation(line.trim()) ?? {};
  if (kind === '') return undefined;
  const open = line.lastIndexOf(' (');
  const close = line.lastIndexOf(')');
  const is = HOLDERS[kind] ?? 'group';
  return present([
    spanOf(line, holder, is as Span['is'], line.indexOf(` for ${kind} `) + ` for ${kind} `.length),
    { from: open + 2, to: close, is: 'server' },
  ]);
}

/** Lines about license servers, and headings with one. */
function serverSpans(line: string): Span[] {
  const list = readServerList(line.trim());
  if (list !== undefined) {
    let end = line.indexOf(':');
    return list.flatMap((server) => {
      const host = server.slice(server.lastIndexOf('@') + 1);
      const span = spanOf(line, server, 'server', end);
      end = span?.to ?? end;
      return span === undefined ? [] : [{ ...span, from: span.to - host.length }];
    });
  }
  const member = readMember(line.trim(), true);
  if (member !== undefined) return present([spanOf(line, member.host, 'server')]);
  const daemon = readDaemon(line.trim());
  if (daemon !== undefined) return present([spanOf(line, daemon.name, 'name')]);
  const [, before = '', host = ''] = /^(.{0,60}\bon )([^\s:()]+)[:)]/.exec(line) ?? [];
  return host === '' ? [] : [{ from: before.length, to: before.length + host.length, is: 'server' }];
}
