import type { Parsed } from '../managers/parsed.ts';
import { observeRlm } from '../managers/rlm/observe.ts';
import { parseRlmstat } from '../managers/rlm/parse.ts';
import { createLocalTime } from '../model/local-time.ts';
import type { Member } from '../observation/source.ts';
import { SourceFailure } from '../observation/source-failure.ts';
import { runSliced } from '../scheduling/slices.ts';
import type { ManagerReader } from './manager-source.ts';
import { textOf } from './output-text.ts';
import type { SourceSettings } from './settings.ts';
import type { Transport } from './transport.ts';

/** Reads an RLM server. Of several servers, the first one that answers is used. */
export function createRlmReader(settings: SourceSettings, transport: Transport): ManagerReader {
  const { servers, part, via } = settings;
  const localTime = createLocalTime(settings.timeZone);
  const [name = ''] = servers;

  const ask = async (server: string, signal: AbortSignal): Promise<Parsed> => {
    const output = await transport.read(['rlmstat', '-a', '-c', server], signal);
    const report = await runSliced(parseRlmstat(textOf(output), { localTime }));
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
      throw first;
    },
    close: () => transport.close(),
  };
}

/** Servers before the one that answered are down. Those after it were not asked: nothing is known of them. */
const membersOf = (asked: readonly string[], answered: number): readonly Member[] =>
  asked.slice(0, answered + 1).map((server, i) => ({ server, up: i === answered, isMaster: i === answered }));
