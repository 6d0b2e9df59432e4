import type { Member } from '../../../base/model/observation/observation.ts';
import type { SourceFailureKind, SourceProblem } from '../../../base/model/observation/source-failure.ts';
import type { LmstatMember } from './lmstat-report.ts';

/** Redundant servers need a majority. */
const TRIAD = 3;
const QUORUM = 2;
const MAX_NAMED = 3;

/** Host of `port@host`, in lower case. */
export const hostOf = (server: string): string => server.slice(server.indexOf('@') + 1).toLowerCase();
/** The name without its domain; an address as a whole. */
export const firstLabel = (host: string): string => (/^[\d.]+$|:/.test(host) ? host : (host.split('.')[0] ?? host));

/** The configured servers of which the output has a line. Its names can be shorter or longer. */
export function membersOf(servers: readonly string[], printed: readonly LmstatMember[]): Member[] {
  const hosts = [...new Set(printed.map(({ host }) => host.toLowerCase()))];
  return servers.flatMap((server, at) => {
    const host = hostOf(server);
    const same = hosts.find((one) => one === host) ?? hosts.find((one) => firstLabel(one) === firstLabel(host));
    // an address and a name: the server lists its members in the order of its license file
    const found = same ?? (hosts.length === servers.length ? hosts[at] : undefined);
    const lines = printed.filter((one) => one.host.toLowerCase() === found);
    if (lines.length === 0) return [];
    return [{ server, up: lines.some(({ up }) => up), isMaster: lines.some(({ isMaster }) => isMaster) }];
  });
}

/** What an output without data says of the configured servers. */
export function membersWithoutData(
  kind: SourceFailureKind,
  servers: readonly string[],
  printed: readonly LmstatMember[],
): Member[] {
  const members = membersOf(servers, printed);
  if (members.length > 0) return members;
  // an error of the request as a whole is one of all servers
  return servers.map((server) => ({ server, up: kind === 'unreachable' ? false : undefined, isMaster: false }));
}

/** What is wrong with redundant servers. One server alone is reported by its failure. */
export function memberProblem(servers: readonly string[], printed: readonly LmstatMember[]): SourceProblem | undefined {
  const hosts = new Map<string, boolean>();
  for (const { host, up } of printed) {
    const name = host.toLowerCase();
    hosts.set(name, up || (hosts.get(name) ?? false));
  }
  const down = [...hosts].flatMap(([host, up]) => (up ? [] : [host]));
  if (hosts.size < 2 || down.length === 0) return undefined;
  const rest = down.length - MAX_NAMED;
  const list = `${down.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  // one that is configured and not printed may be up
  const most = Math.max(hosts.size, servers.length);
  if (most >= TRIAD && most - down.length < QUORUM)
    return {
      kind: 'no_quorum',
      message: `Of the redundant license servers of ${servers[0]}, fewer than ${QUORUM} can be reached. Start lmgrd on ${list}, or open the firewall to it.`,
    };
  return {
    kind: 'unreachable',
    message: `Of the redundant license servers of ${servers[0]}, ${list} cannot be reached. Start lmgrd there, or open the firewall to it.`,
    // the others have a majority, and serve
    isMinor: true,
  };
}
