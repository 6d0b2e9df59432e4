import type { OnUnread } from '../lines.ts';
import type { ManagerCode, ReadInput } from '../manager.ts';
import type { Parsed } from '../parsed.ts';
import { createTextReader } from '../text-reader.ts';
import { createSourceTime } from '../times.ts';
import { textOf } from '../transport/transport.ts';
import { cutFailure } from './failure.ts';
import { observeRlm } from './observe.ts';
import { parseRlmstat } from './parse.ts';
import { shapes, vocabulary } from './words.ts';

/** The server that was asked. */
interface Asked {
  readonly server: string;
}

const args = (server: string): readonly string[] => ['rlmstat', '-a', '-c', server];

function read({ settings, via, output, more }: ReadInput<object, Asked>, onUnread?: OnUnread): Parsed {
  const { servers, part, timeZone, calendarZone } = settings;
  const localTime = createSourceTime(timeZone, calendarZone);
  const report = parseRlmstat(textOf(output), { localTime, onUnread });
  // a tool ends its last line; a part of the output would look like fewer pools and users
  if (via === 'command' && report.isCut) throw cutFailure(more.server);
  return observeRlm(report, { server: servers[0] ?? 'the server', part, now: output.at, localTime });
}

/** What reads the output of rlmstat. */
export const rlmCode: ManagerCode<object, Asked, Parsed> = {
  texts: {
    rlmstat: {
      title: 'rlmutil rlmstat -a',
      places: ({ servers, via }) =>
        // a file or an address has one answer
        (via?.kind === 'command' ? servers : servers.slice(0, 1)).map((server, at) => ({
          of: `server ${at + 1}`,
          args: args(server),
        })),
      recognize: (text, _now, timeZone) => {
        const { masters, isvs, errors, referenceTime } = parseRlmstat(text, {
          localTime: createSourceTime(timeZone, timeZone),
        });
        const isSure = masters.length + isvs.length > 0;
        if (!isSure && errors.every(({ kind }) => kind === 'other_manager')) return undefined;
        return { servers: masters.map(({ host, port }) => `${port}@${host}`), at: referenceTime, isSure };
      },
      shapes,
      normalized: (text) => text,
    },
  },
  read,
  createReader: (settings, deps) =>
    createTextReader(settings, deps, { args, more: (server) => ({ server }), keep: () => undefined }),
  replay: ({ settings, via, now, texts }) => ({
    readings: texts('rlmstat').map(({ output, of = '', onUnread }) => () => {
      const number = Number(/^server (\d{1,4})$/.exec(of)?.[1] ?? 1);
      const server = settings.servers[number - 1] ?? 'the server';
      return read({ settings: { ...settings, servers: [server] }, via, now, output, more: { server } }, onUnread);
    }),
    remarks: [],
  }),
  vocabulary,
};
