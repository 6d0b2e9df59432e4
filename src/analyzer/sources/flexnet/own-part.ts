import type { LmstatReport } from './lmstat-report.ts';
import { firstLabel, hostOf } from './members.ts';

/** What an output says of the servers that were asked, and the other servers in it. */
export interface OwnPart {
  readonly report: LmstatReport;
  /** As they are listed: those of a redundant group together. */
  readonly others: readonly string[];
}

const portOf = (server: string): string => (server.includes('@') ? server.slice(0, server.indexOf('@')) : '');

const isSamePort = (one: string, other: string): boolean =>
  !/^\d+$/.test(portOf(one)) || !/^\d+$/.test(portOf(other)) || portOf(one) === portOf(other);

const hasDomain = (host: string): boolean => firstLabel(host) !== host;

/** A name can be shorter or longer, and a port can be missing. Two names with a domain are two hosts. */
function isSameServer(one: string, other: string): boolean {
  const [a, b] = [hostOf(one), hostOf(other)];
  if (!isSamePort(one, other)) return false;
  return a === b || (firstLabel(a) === firstLabel(b) && !(hasDomain(a) && hasDomain(b)));
}

const isListed = (one: string, other: string): boolean =>
  hostOf(one) === hostOf(other) && portOf(one) === portOf(other);

/**
 * A tool prints the servers of all license files that it finds, one after the other, and a file can have the outputs of several
 * runs. What is printed before the first server belongs to all of them.
 *
 * @returns undefined if the output has several servers, and not one of them is known to be the one that was asked
 */
export function ownPartOf(report: LmstatReport, servers: readonly string[]): OwnPart | undefined {
  const lists = new Map(report.serverLists.map((list) => [list.join(',').toLowerCase(), list]));
  if (lists.size < 2) return { report, others: [] };
  const listsWith = (is: (one: string, server: string) => boolean): readonly string[] =>
    [...lists].flatMap(([name, list]) => (list.some((one) => servers.some((server) => is(one, server))) ? [name] : []));
  const exact = listsWith(isListed);
  const own = new Set(exact.length > 0 ? exact : listsWith(isSameServer));
  if (own.size === 0 || (own.size > 1 && servers.length === 1)) return undefined;
  const isOwn = (part: { readonly servers: string }): boolean => part.servers === '' || own.has(part.servers);
  return {
    report: {
      ...report,
      serverLists: [...lists].flatMap(([name, list]) => (own.has(name) ? [list] : [])),
      members: report.members.filter(isOwn),
      daemons: report.daemons.filter(isOwn),
      errors: report.errors.filter(isOwn),
      features: report.features.filter(isOwn),
    },
    others: [...lists.keys()].filter((name) => !own.has(name)),
  };
}
