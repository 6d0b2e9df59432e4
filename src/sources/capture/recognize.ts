import { formOfLog } from '../flexnet/debug-log-line.ts';
import { parseLicenseFile } from '../flexnet/license-file.ts';
import { parseLmstat } from '../flexnet/lmstat.ts';
import { parseLmstatInventory } from '../flexnet/lmstat-inventory.ts';
import { parseRlmstat } from '../rlm/parse.ts';
import { createSourceTime } from '../times.ts';
import { type Capture, type CaptureHeader, type InputKind, isCapture, readCapture } from './capture-file.ts';

/** What a file is: a capture, or a text that a license manager printed. */

const managers: Readonly<Record<InputKind, CaptureHeader['manager']>> = {
  lmstat: 'flexnet',
  inventory: 'flexnet',
  license: 'flexnet',
  options: 'flexnet',
  log: 'flexnet',
  rlmstat: 'rlm',
  document: 'json',
};

/** Of a text alone. */
interface Found {
  readonly input: InputKind;
  readonly servers: readonly string[];
  /** When it was made, by the text itself. */
  readonly at: number | undefined;
}

/** The time of a document, without which it would be too old. */
function timeOfDocument(text: string): number | undefined {
  const [, written = ''] = /"time"\s*:\s*"?([^",}\s]{1,40})/.exec(text) ?? [];
  const seconds = /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : Date.parse(written) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function* find(text: string, now: number, timeZone: string): Generator<void, Found | undefined> {
  const localTime = createSourceTime(timeZone, timeZone);
  if (/^\s*[{[]/.test(text)) return { input: 'document', servers: [], at: timeOfDocument(text) };
  const rlm = yield* parseRlmstat(text, { localTime });
  const servers = rlm.masters.map(({ host, port }) => `${port}@${host}`);
  if (rlm.masters.length + rlm.isvs.length > 0) return { input: 'rlmstat', servers, at: rlm.referenceTime };
  const lmstat = yield* parseLmstat(text, { localTime, now, split: 'auto', knownHosts: new Set() });
  const { features, members, daemons, errors, serverLists, referenceTime: at } = lmstat;
  if (features.length + members.length + daemons.length + errors.length + serverLists.length > 0)
    return { input: 'lmstat', servers: serverLists[0] ?? [], at };
  if ((yield* parseLmstatInventory(text, { localTime })).supply.length > 0)
    return { input: 'inventory', servers: [], at };
  if (rlm.errors.some(({ kind }) => kind !== 'other_manager')) return { input: 'rlmstat', servers, at: undefined };
  if (at !== undefined) return { input: 'lmstat', servers: [], at };
  if (parseLicenseFile(text, { now, localTime }).supplies.length > 0) return { input: 'license', servers: [], at };
  return formOfLog(text) === 'debug' ? { input: 'log', servers: [], at } : undefined;
}

/**
 * @param now for a text that does not say when it was made, epoch seconds
 * @returns undefined for a file of no known form
 * @throws Error with the reason if it is a capture that cannot be read
 */
export function* recognize(text: string, now: number, timeZone = 'UTC'): Generator<void, Capture | undefined> {
  if (isCapture(text)) return readCapture(text);
  const found = yield* find(text, now, timeZone);
  if (found === undefined) return undefined;
  const { input, servers, at = now } = found;
  return {
    header: {
      manager: managers[input],
      via: 'file',
      time: at,
      timeZone,
      servers,
      daemons: [],
      split: 'auto',
      lingerAtLeast: 3600,
      interval: 300,
    },
    sections: [{ input, stream: 'text', at, text, line: 1 }],
  };
}
