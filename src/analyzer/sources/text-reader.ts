import type { Member } from '../../base/model/observation/observation.ts';
import { SourceFailure } from '../../base/model/observation/source-failure.ts';
import type { ManagerReader, ReaderDeps } from './manager.ts';
import type { Parsed } from './parsed.ts';
import type { SourceSettings } from './source-settings.ts';

/** How a tool is asked for one server; its arguments. */
export interface Asking<More, Result> {
  /** Arguments for a server. `none` if the tool knows by itself whom it asks: then it runs once. */
  readonly args: ((server: string) => readonly string[]) | 'none';
  /** What is read beside the output. */
  more(server: string): More;
  /** Gets what was read, before the next reading. */
  keep(result: Result): void;
}

/** Of files and addresses, it is not the license server that cannot be reached. */
const failedMember = (server: string, failure: SourceFailure | undefined, isCommand: boolean): Member => ({
  server,
  up: isCommand && failure?.kind === 'unreachable' ? false : undefined,
  isMaster: false,
});

/** Servers before the one that answered are down. Those after it were not asked: nothing is known of them. */
const membersOf = (asked: readonly string[], answered: number): readonly Member[] =>
  asked.slice(0, answered + 1).map((server, i) => ({ server, up: i === answered, isMaster: i === answered }));

/** Reads a manager whose answer is one text. Of several servers, the first one that answers is used. */
export function createTextReader<Own extends object, More, Result extends Parsed>(
  settings: SourceSettings & Own,
  { transport, host, read }: ReaderDeps<Own, More, Result>,
  { args, more, keep }: Asking<More, Result>,
): ManagerReader {
  const { via, servers, ...others } = settings;
  if (transport === undefined || via === undefined) throw new Error(`the source ${settings.name} has no via`);
  const isCommand = via.kind === 'command';
  const ask = async (server: string, signal: AbortSignal): Promise<Result> => {
    const output = await transport.read(args === 'none' ? [] : args(server), signal);
    const input = { settings: { ...others, servers }, via: via.kind, now: host.now(), output, more: more(server) };
    const result = await read(input as unknown as Parameters<typeof read>[0]);
    keep(result);
    return result;
  };

  return {
    read: async (signal) => {
      if (args === 'none') return ask('', signal);
      const failures: SourceFailure[] = [];
      // a file or an address has one answer
      const asked = isCommand ? servers : servers.slice(0, 1);
      for (const server of asked) {
        try {
          const parsed = await ask(server, signal);
          return { ...parsed, members: membersOf(asked, failures.length) };
        } catch (error) {
          if (!(error instanceof SourceFailure)) throw error;
          failures.push(error);
        }
      }
      const [first = new SourceFailure('unreachable', 'no server is configured')] = failures;
      const members = asked.map((server, i) => failedMember(server, failures[i], isCommand));
      throw new SourceFailure(first.kind, first.message, { cause: first, members });
    },
    close: () => transport.close(),
  };
}
