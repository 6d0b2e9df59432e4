import type { UnreadPart } from '../../../analyzer/sources/lines.ts';
import type { CapturedText, ReadInput } from '../../../analyzer/sources/manager.ts';
import { managerCodes } from '../../../analyzer/sources/manager-codes.ts';
import { managerNames, managers } from '../../../analyzer/sources/managers.ts';
import type { Parsed } from '../../../analyzer/sources/parsed.ts';
import type { SourceSettings } from '../../../analyzer/sources/source-settings.ts';
import {
  SourceFailure,
  type SourceFailureKind,
  sourceFailureKinds,
} from '../../../base/model/observation/source-failure.ts';
import {
  type Capture,
  type CaptureHeader,
  inputKinds,
  isCapture,
  type ReadSection,
  readCapture,
} from './capture-file.ts';

/** The texts of a capture, read as those of a source are. */

/** A part of a text that is not understood, and the kind of the text. */
export type UnreadText = UnreadPart & { readonly input: string };

/** What the program reads in a capture, with the code that reads the source. */
export interface Replayed {
  /** Several if each server of a source was asked. */
  readonly results: readonly Parsed[];
  readonly failures: readonly SourceFailure[];
  /** Lines are those of the capture. */
  readonly unread: readonly UnreadText[];
  /** Sentences about texts that are no observation. */
  readonly remarks: readonly string[];
}

/** The settings of the source, as far as reading its texts needs them. */
const settingsOf = (header: CaptureHeader): SourceSettings => ({
  name: '',
  manager: header.manager,
  servers: header.servers,
  part: '',
  daemons: header.daemons,
  via: undefined,
  interval: header.interval,
  timeout: 0,
  maxOutput: 0,
  encoding: undefined,
  timeZone: header.timeZone,
  calendarZone: header.timeZone,
  features: { include: [], exclude: [], dropUnsupported: true },
  users: { names: 'keep', split: header.split },
  borrow: { lingerAtLeast: header.lingerAtLeast },
  ...managers[header.manager].settings.complete({}, header.timeZone),
});

function failureOf({ input, text }: ReadSection): SourceFailure {
  const written = text.trim();
  const kind = Object.hasOwn(sourceFailureKinds, written) ? (written as SourceFailureKind) : 'exit';
  return new SourceFailure(kind, `${inputKinds[input]} could not be read: ${sourceFailureKinds[kind]}`);
}

/** The runs and files of one kind. Lines are counted from the beginning of the capture. */
function textsOf(
  { header, sections }: Capture,
  kind: string,
  onUnread: (part: UnreadText) => void,
): readonly CapturedText[] {
  const own = sections.filter(({ input, stream }) => input === kind && stream !== 'failure');
  return [...Map.groupBy(own, ({ of }) => of).values()].map((run) => {
    const textIn = (stream: string): string => run.find((one) => one.stream === stream)?.text ?? '';
    const stdout = textIn('text') || textIn('stdout');
    const shown = run.find(({ text }) => text === (stdout.trim() === '' ? textIn('stderr') : stdout)) ?? run[0];
    return {
      output: { stdout, stderr: textIn('stderr'), exitCode: shown?.exitCode, at: shown?.at ?? header.time },
      of: shown?.of,
      onUnread: (part) => onUnread({ ...part, line: (shown?.line ?? 1) + part.line - 1, input: kind }),
    };
  });
}

/** Reads all texts of a capture. What gives no data is among the failures. */
export function replay(capture: Capture): Replayed {
  const { header, sections } = capture;
  const failures = sections.filter(({ stream }) => stream === 'failure').map(failureOf);
  const unread: UnreadText[] = [];
  const results: Parsed[] = [];
  const { readings, remarks } = managerCodes[header.manager].replay({
    settings: settingsOf(header),
    via: (header.via === 'command' || header.via === 'http' ? header.via : 'file') satisfies ReadInput['via'],
    now: header.time,
    texts: (kind) => textsOf(capture, kind, (part) => unread.push(part)),
  });
  for (const read of readings) {
    try {
      const parsed = read();
      if (parsed !== undefined) results.push(parsed);
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      failures.push(error);
    }
  }
  return { results, failures, remarks, unread: unread.toSorted((a, b) => a.line - b.line) };
}

/** Whether a failure says something of the license server. The others say only that there is no data. */
const isUnderstoodFailure = ({ kind }: SourceFailure): boolean => kind !== 'unparsed' && kind !== 'exit';

/** Whether anything of a capture was understood. That a server is down can be understood too. */
export const isRecognized = ({ results, failures, remarks }: Replayed): boolean =>
  results.length + remarks.length > 0 || failures.some(isUnderstoodFailure);

/** Whether each line was understood. */
export const isUnderstood = ({ unread, failures }: Replayed): boolean =>
  unread.length === 0 && failures.every(isUnderstoodFailure);

/**
 * What a file is: a capture, or a text that a license manager printed.
 *
 * @param now for a text that does not say when it was made, epoch seconds
 * @returns undefined for a file of no known form
 * @throws Error with the reason if it is a capture that cannot be read
 */
export function recognize(text: string, now: number, timeZone = 'UTC'): Capture | undefined {
  if (isCapture(text)) return readCapture(text);
  // the first manager of the table understands the most
  const found = managerNames.toReversed().flatMap((candidate) =>
    Object.entries(managerCodes[candidate].texts).flatMap(([form, kind]) => {
      const one = kind.recognize === 'inCaptures' ? undefined : kind.recognize(text, now, timeZone);
      return one === undefined ? [] : [{ ...one, manager: candidate, input: form }];
    }),
  );
  const best = found.find(({ isSure }) => isSure) ?? found[0];
  if (best === undefined) return undefined;
  const { manager, input, servers } = best;
  const at = best.at ?? found.find((one) => one.at !== undefined)?.at ?? now;
  const common = { timeZone, servers, daemons: [], split: 'auto', lingerAtLeast: 3600, interval: 300 } as const;
  return {
    header: { manager, via: 'file', time: at, ...common },
    sections: [{ input, stream: 'text', at, text, line: 1 }],
  };
}
