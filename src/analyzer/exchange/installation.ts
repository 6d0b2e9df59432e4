import { OperatorError } from '../../base/model/operator-error.ts';
import { stemOf } from './dated-files.ts';
import { memberName } from './merged-log.ts';

/** What a file says of where it was written. */
export interface Whereabouts {
  readonly name: string;
  /** Hosts on which servers started, as the file names them. */
  readonly hosts: ReadonlySet<string>;
  readonly daemons: ReadonlySet<string>;
  /** Whether it says which of several redundant servers serves. */
  readonly isOfGroup: boolean;
}

/** Hosts that one file names are one server that was moved; those of files that share a host too. */
function serversOf(files: readonly Whereabouts[]): readonly ReadonlySet<string>[] {
  let servers: Set<string>[] = [];
  for (const { hosts } of files) {
    const own = new Set([...hosts].map(memberName));
    if (own.size === 0) continue;
    const same = servers.filter((server) => [...own].some((host) => server.has(host)));
    const joined = new Set([...own, ...same.flatMap((server) => [...server])]);
    servers = [...servers.filter((server) => !same.includes(server)), joined];
  }
  return servers;
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1);

/** Of the others with a host, those of which a file is: it is called as their host or as they are, or is alone with them in a folder. */
function besides(file: Whereabouts, others: readonly Whereabouts[]): ReadonlySet<string> {
  const named = others.filter(({ hosts }) => hosts.size > 0);
  const words = new Set(file.name.toLowerCase().split(/[^a-z\d]+/));
  const [folder, stem] = [folderOf(file.name), stemOf(file.name)];
  const hostsOf = (chosen: readonly Whereabouts[]): ReadonlySet<string> =>
    new Set(chosen.flatMap(({ hosts }) => [...hosts].map(memberName)));
  const called = new Set([...hostsOf(named)].filter((host) => words.has(host)));
  if (called.size > 0) return called;
  const same = hostsOf(named.filter(({ name }) => stemOf(name) === stem));
  return same.size > 0 || folder === '' ? same : hostsOf(named.filter(({ name }) => folderOf(name) === folder));
}

/**
 * The member of a group of redundant servers that wrote each file, by name; undefined where that is not known, or if the files
 * are not of a group.
 *
 * @throws OperatorError if two servers have daemons of one name, whose licenses are not the same
 */
export function membersOf(files: readonly Whereabouts[]): ReadonlyMap<string, string | undefined> {
  const isGroup = files.some(({ isOfGroup }) => isOfGroup);
  for (const daemon of new Set(files.flatMap(({ daemons }) => [...daemons]))) {
    const servers = serversOf(files.filter(({ daemons }) => daemons.has(daemon)));
    if (isGroup || servers.length < 2) continue;
    const names = servers.map((server) => [...server].join(' and ')).join(' and ');
    throw new OperatorError(
      `the logs are of ${servers.length} servers (${names}), which have a daemon ${daemon} each; import the logs of each server alone, with --server`,
    );
  }
  return new Map(
    files.map((file) => {
      const hosts = file.hosts.size > 0 ? new Set([...file.hosts].map(memberName)) : besides(file, files);
      const [host, ...others] = hosts;
      return [file.name, isGroup && others.length === 0 ? host : undefined];
    }),
  );
}
