import type { SourceProblem } from '../../base/model/observation/source-failure.ts';
import { EntryReading, type ObservationMemory } from './json/entry-reading.ts';
import type { CapturedText, ManagerCode, ReadInput, Recognized, Vocabulary } from './manager.ts';
import type { Parsed } from './parsed.ts';
import { createTextReader } from './text-reader.ts';
import { failureOf, type TextContext, type TextReport, type ToolNames } from './text-report.ts';
import { CLOCK_DIFFERENCE, createSourceTime } from './times.ts';
import { type Output, type Transport, textOf } from './transport/transport.ts';

/** A manager whose answer is what its tool prints. */

/** What differs between such managers. */
export interface TextManager extends ToolNames {
  /** Names its text in captures. */
  readonly kind: string;
  /** Arguments of each run of the tool for one server. What all of them print is read as one text. */
  runs(server: string): readonly (readonly string[])[];
  /** How the tool is asked, if not by each of `runs`. */
  readonly ask?: (run: (args: readonly string[]) => Promise<Output>) => Promise<Output>;
  /** Whether the status of an application can be that it has ended, where the tool says one. */
  readonly saysEnded?: false;
  /** Pure. It never fails: a text of another tool gives a report without data. */
  parse(text: string, context: TextContext): TextReport;
  readonly shapes: readonly string[];
  readonly vocabulary: Vocabulary;
}

/** What a text is read with beside its settings. */
export interface Beside {
  /** The server that was asked. */
  readonly server: string;
  /** Of the previous reading. */
  readonly memory: ObservationMemory | undefined;
}

/** What a text says, and what the next one is compared with. */
interface ParsedText extends Parsed {
  readonly memory: ObservationMemory;
}

/** @throws SourceFailure if the text has no data */
function observe(
  report: TextReport,
  context: TextContext & { readonly part: string },
  memory: Beside['memory'],
): ParsedText {
  const { server, part, now, localTime } = context;
  const problems: SourceProblem[] = [...report.problems];
  const times = report.vendorLicenses.flatMap(({ features }) =>
    (features ?? []).flatMap(({ checkouts }) => (checkouts ?? []).map(({ since }) => Number(since ?? 0))),
  );
  const ahead = times.reduce((last, at) => Math.max(last, at), 0) - now;
  if (ahead > CLOCK_DIFFERENCE) {
    const message = `The output for ${server} has checkouts that begin ${Math.ceil(ahead / 60)} minutes after the time of this host, so that the times of checkouts are left out. Correct the clock, or set the time zone of the output.`;
    problems.push({ kind: 'clock', message, isMinor: true });
  }
  const latest = ahead > CLOCK_DIFFERENCE ? undefined : now + CLOCK_DIFFERENCE;
  const reading = new EntryReading({ localTime, part, latest, writtenAt: now, memory }, report.diagnostics);
  for (const entry of report.vendorLicenses) {
    reading.add({ ...entry, server });
  }
  return {
    vendorLicenses: reading.vendorLicenses,
    problems,
    members: [{ server, up: true, isMaster: true }],
    referenceTime: undefined,
    diagnostics: report.diagnostics,
    memory: reading.memory,
  };
}

const withoutEnds = (parsed: ParsedText): ParsedText => ({
  ...parsed,
  vendorLicenses: parsed.vendorLicenses.map((one) => ({
    ...one,
    pools: one.pools.map((pool) => ({ ...pool, unknownOfCheckouts: [...(pool.unknownOfCheckouts ?? []), 'ended'] })),
  })),
});

/** The texts of several runs for one server, as one. */
const joined = (outputs: readonly [Output, ...Output[]]): Output => {
  const [first] = outputs;
  return outputs.length === 1 ? first : { ...first, stdout: outputs.map(textOf).join('\n') };
};

const serverOf = (of: string): string => /^server \d{1,4}/.exec(of)?.[0] ?? '';

/** The code of such a manager. */
export function textManagerCode(manager: TextManager): ManagerCode<object, Beside, ParsedText> {
  const { kind, title, shapes, vocabulary } = manager;

  const read: ManagerCode<object, Beside, ParsedText>['read'] = ({ settings, via, output, more }, onUnread) => {
    const { servers, part, timeZone, calendarZone } = settings;
    const localTime = createSourceTime(timeZone, calendarZone);
    const context = { server: more.server, now: output.at, localTime, onUnread };
    const report = manager.parse(textOf(output), context);
    const failure = failureOf(report, manager, more.server, via);
    if (failure !== undefined) throw failure;
    const parsed = observe(report, { ...context, server: servers[0] ?? more.server, part }, more.memory);
    return manager.saysEnded === false ? withoutEnds(parsed) : parsed;
  };

  const recognize = (text: string, now: number, timeZone: string): Recognized | undefined => {
    const localTime = createSourceTime(timeZone, timeZone);
    const { servers, isOwn } = manager.parse(text, { server: '', now, localTime });
    // a refusal alone could be that of any tool
    return isOwn ? { servers, at: undefined, isSure: true } : undefined;
  };

  const askEach = async (transport: Transport, server: string, signal: AbortSignal): Promise<Output> => {
    const run = (args: readonly string[]): Promise<Output> => transport.read(args, signal);
    if (manager.ask !== undefined) return manager.ask(run);
    const [first = [], ...others] = manager.runs(server);
    const outputs: [Output, ...Output[]] = [await run(first)];
    for (const args of others) outputs.push(await run(args));
    return joined(outputs);
  };

  const replayOne = (
    texts: readonly CapturedText[],
    input: Omit<ReadInput<object, Beside>, 'output' | 'more'>,
  ): Parsed | undefined => {
    const [first, ...others] = texts;
    if (first === undefined) return undefined;
    const server = input.settings.servers[Number(/\d+/.exec(first.of ?? '')?.[0] ?? 1) - 1] ?? 'the server';
    const output = joined([first.output, ...others.map((one) => one.output)]);
    return read({ ...input, output, more: { server, memory: undefined } }, first.onUnread);
  };

  return {
    texts: {
      [kind]: {
        title,
        places: ({ servers, via }) =>
          // a file or an address has one answer
          (via?.kind === 'command' ? servers : servers.slice(0, 1)).flatMap((server, at) => {
            const runs = via?.kind === 'command' ? manager.runs(server) : [[]];
            return runs.map((args, run) => ({ of: `server ${at + 1}${run === 0 ? '' : `, run ${run + 1}`}`, args }));
          }),
        recognize,
        shapes,
        normalized: (text) => text,
      },
    },
    read,
    createReader: (settings, { transport, ...deps }) => {
      let memory: ObservationMemory | undefined;
      const isCommand = settings.via?.kind === 'command';
      const asked = transport && {
        ...transport,
        read: ([server = '']: readonly string[], signal: AbortSignal) =>
          isCommand ? askEach(transport, server, signal) : transport.read([], signal),
      };
      return createTextReader(
        settings,
        { ...deps, transport: asked },
        {
          args: (server) => [server],
          more: (server) => ({ server, memory }),
          keep: (parsed) => {
            memory = parsed.memory;
          },
        },
      );
    },
    replay: ({ settings, via, now, texts }) => ({
      readings: [...Map.groupBy(texts(kind), ({ of = 'server 1' }) => serverOf(of)).values()].map(
        (runs) => () => replayOne(runs, { settings, via, now }),
      ),
      remarks: [],
    }),
    vocabulary,
  };
}
