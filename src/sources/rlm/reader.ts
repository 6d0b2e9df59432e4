import type { Member } from '../../model/observation/member.ts';
import { SourceFailure } from '../../model/observation/source-failure.ts';
import type { SourceSettings } from '../../model/observation/source-settings.ts';
import { runSliced } from '../../scheduling/slices.ts';
import type { ManagerReader } from '../manager-source.ts';
import { textOf } from '../output-text.ts';
import type { Parsed } from '../parsed.ts';
import { createSourceTime } from '../times.ts';
import type { Transport } from '../transport/transport.ts';
import { cutFailure } from './failure.ts';
import { observeRlm } from './observe.ts';
import { parseRlmstat } from './parse.ts';

/** Reads an RLM server. Of several servers, the first one that answers is used. */
export function createRlmReader(settings: SourceSettings, transport: Transport): ManagerReader {
  const { servers, part, via } = settings;
  const localTime = createSourceTime(settings.timeZone, settings.calendarZone);
  const [name = ''] = servers;

  const ask = async (server: string, signal: AbortSignal): Promise<Parsed> => {
    const output = await transport.read(['rlmstat', '-a', '-c', server], signal);
    const report = await runSliced(parseRlmstat(textOf(output), { localTime }));
    // a tool ends its last line; a part of the output would look like fewer pools and users
    if (via?.kind === 'command' && report.isCut) throw cutFailure(server);
    const context = { now: output.at, localTime };
    return await runSliced(observeRlm({ report, settings: { server: name, part }, context }));
  };

  return {
    read: async (signal) => {
      const failures: SourceFailure[] = [];
      // a file or an address has one answer
      const asked = via?.kind === 'command' ? servers : [name];
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
      const { kind, message } = first;
      throw new SourceFailure(kind, message, { cause: first, members: membersOfFailures(asked, failures, via) });
    },
    close: () => transport.close(),
  };
}

/** Of files and addresses, it is not the license server that cannot be reached. */
const membersOfFailures = (
  asked: readonly string[],
  failures: readonly SourceFailure[],
  via: SourceSettings['via'],
): readonly Member[] =>
  asked.map((server, i) => {
    const isDown = via?.kind === 'command' && failures[i]?.kind === 'unreachable';
    return { server, up: isDown ? false : undefined, isMaster: false };
  });

/** Servers before the one that answered are down. Those after it were not asked: nothing is known of them. */
const membersOf = (asked: readonly string[], answered: number): readonly Member[] =>
  asked.slice(0, answered + 1).map((server, i) => ({ server, up: i === answered, isMaster: i === answered }));
