import type { LmstatReport } from './lmstat-report.ts';
import { firstLabel, hostOf } from './members.ts';

/** What an output says of the servers that were asked, and the other servers in it. */
export interface OwnPart {
  readonly report: LmstatReport;
  /** As they are listed: those of a redundant group together. */
  readonly others: readonly string[];
}

const portOf = (server: string): string => (server.includes('@') ? server.slice(0, server.indexOf('@')) : '');

/** Names can be shorter or longer, and a port can be missing. */
function isSameServer(one: string, other: string): boolean {
  const [a, b] = [hostOf(one), hostOf(other)];
  if (a !== b && firstLabel(a) !== firstLabel(b)) return false;
  const [port, otherPort] = [portOf(one), portOf(other)];
  return !/^\d+$/.test(port) || !/^\d+$/.test(otherPort) || port === otherPort;
}

/**
 * A tool prints the servers of all license files that it finds, one after the other, and a file can have the outputs of several
 * runs. What is printed before the first server belongs to all of them.
 *
 * @returns undefined if the output has several servers, and none of them is one that was asked
 */
export function ownPartOf(report: LmstatReport, servers: readonly string[]): OwnPart | undefined {
  const lists = new Map(report.serverLists.map((list) => [list.join(',').toLowerCase(), list]));
  if (lists.size < 2) return { report, others: [] };
  const own = new Set<string>();
  for (const [name, list] of lists)
    if (list.some((one) => servers.some((server) => isSameServer(one, server)))) own.add(name);
  if (own.size === 0) return undefined;
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
