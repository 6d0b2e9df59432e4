import { createHost, settingsOf } from '../../../analyzer/sources/configured-sources.ts';
import type { DenialLog } from '../../../analyzer/sources/log/denials.ts';
import { LogFollower } from '../../../analyzer/sources/log/log-follower.ts';
import type { TextPlace } from '../../../analyzer/sources/manager.ts';
import { managerCodes } from '../../../analyzer/sources/manager-codes.ts';
import { managerNamed } from '../../../analyzer/sources/managers.ts';
import type { LogSettings, SourceConfig, SourceSettings } from '../../../analyzer/sources/source-settings.ts';
import { createTransport } from '../../../analyzer/sources/transport/create-transport.ts';
import { createFileTransport } from '../../../analyzer/sources/transport/file-transport.ts';
import type { Transport } from '../../../analyzer/sources/transport/transport.ts';
import type { TransportHost } from '../../../analyzer/sources/transport/transport-host.ts';
import type { Log } from '../../../base/model/log.ts';
import { SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { createSourceAnalyzers } from '../../app/source-analyzers.ts';
import type { Config } from '../../config/config.ts';
import { type Anonymized, anonymize } from './anonymize.ts';
import type { CaptureHeader, CaptureSection } from './capture-file.ts';

/** The texts that a source has at one reading, as they are. */
export interface SourceTexts {
  readonly header: CaptureHeader;
  readonly sections: readonly CaptureSection[];
  /** Why texts could not be read, as sentences with names of this site. */
  readonly problems: readonly SourceProblem[];
}

/** Bytes of the end of a log. */
const LOG_BYTES = 65_536;

type Text = Pick<CaptureSection, 'stream' | 'exitCode' | 'at' | 'text'>;

interface Reading {
  readonly settings: SourceSettings;
  readonly transport: Transport | undefined;
  readonly host: TransportHost;
  readonly signal: AbortSignal;
}

async function readFile(file: string, { settings, host, signal }: Reading): Promise<Text[]> {
  const { name: label, timeout, maxOutput, encoding } = settings;
  const via = { kind: 'file', file, maxAge: Number.POSITIVE_INFINITY } as const;
  const transport = createFileTransport({ ...via, label, timeout, maxOutput, encoding }, host);
  try {
    const { stdout, at } = await transport.read([], signal);
    return [{ stream: 'text', at, text: stdout }];
  } finally {
    await transport.close();
  }
}

async function readLog({ path, encoding }: LogSettings, kind: DenialLog, { host }: Reading) {
  const follower = new LogFollower({ path, kind, encoding, elapsed: host.elapsed, bytesBefore: LOG_BYTES });
  try {
    const { pieces, problem, head } = await follower.look();
    if (problem !== undefined) throw new SourceFailure(problem.kind, problem.message);
    const lines = pieces.flatMap((piece) => piece.lines);
    // for instance the report log of FlexNet, which is encrypted
    if (kind.problemOf(head ?? '') !== undefined || lines.length === 0) return [];
    return [{ stream: 'text', at: host.now(), text: lines.join('\n') } as const];
  } finally {
    await follower.close();
  }
}

async function readPlace(place: TextPlace, reading: Reading): Promise<readonly Text[]> {
  if ('file' in place) return readFile(place.file, reading);
  if ('log' in place) return readLog(place.log, place.kind, reading);
  if (reading.transport === undefined) return [];
  const { stdout, stderr, exitCode, at } = await reading.transport.read(place.args, reading.signal);
  const output: Text = { stream: 'stdout', exitCode, at, text: stdout };
  return stderr === '' ? [output] : [output, { ...output, stream: 'stderr', text: stderr }];
}

/**
 * Reads a source once, as its reader does. What cannot be read is a section that says so.
 *
 * @throws SourceFailure if the signal was aborted
 */
async function readTexts(settings: SourceSettings, host: TransportHost, signal: AbortSignal): Promise<SourceTexts> {
  const manager = managerNamed(settings.manager);
  const { via, timeZone, servers, daemons, users, borrow, interval } = settings;
  const transport = createTransport(settings, host);
  const sections: CaptureSection[] = [];
  const problems: SourceProblem[] = [];
  try {
    for (const [input, kind] of Object.entries(managerCodes[manager].texts)) {
      for (const place of kind.places(settings)) {
        const { of } = place;
        try {
          const texts = await readPlace(place, { settings, transport, host, signal });
          for (const text of texts) sections.push({ input, of, ...text });
        } catch (error) {
          if (!(error instanceof SourceFailure) || signal.aborted) throw error;
          problems.push({ kind: error.kind, message: error.message });
          sections.push({ input, stream: 'failure', of, at: host.now(), text: error.kind });
        }
      }
    }
  } finally {
    await transport?.close();
  }
  const header: CaptureHeader = {
    manager,
    via: via?.kind ?? 'files',
    time: host.now(),
    timeZone,
    servers,
    daemons,
    split: users.split,
    lingerAtLeast: borrow.lingerAtLeast,
    interval,
  };
  return { header, sections, problems };
}

/** Reads a source once. @returns what it printed without names, and why something could not be read */
export async function captureSource(
  config: Config,
  source: SourceConfig,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<Anonymized & { readonly problems: readonly SourceProblem[] }> {
  const host = createHost(config, { askAnalyzers: createSourceAnalyzers, now: () => Date.now() / 1000, log }, true);
  try {
    const { header, sections, problems } = await readTexts(settingsOf(source, log), host, signal);
    return { ...anonymize(header, sections), problems };
  } finally {
    host.close();
  }
}
