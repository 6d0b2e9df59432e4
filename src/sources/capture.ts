import { SourceFailure, type SourceProblem } from '../model/observation/source-failure.ts';
import type { SourceSettings } from '../model/observation/source-settings.ts';
import type { CaptureHeader, CaptureSection, InputKind } from './capture/capture-file.ts';
import { formOfLog } from './flexnet/debug-log-line.ts';
import { lmstatArguments } from './flexnet/lmstat-command.ts';
import { createLogFollower } from './log/log-follower.ts';
import { createTransport } from './reader.ts';
import { createFileTransport } from './transport/file-transport.ts';
import type { Output, Transport } from './transport/transport.ts';
import type { TransportHost } from './transport/transport-host.ts';

/** The texts that a source has at one reading, as they are. */
export interface SourceTexts {
  readonly header: CaptureHeader;
  readonly sections: readonly CaptureSection[];
  /** Why texts could not be read, as sentences with names of this site. */
  readonly problems: readonly SourceProblem[];
}

/** Bytes of the end of a debug log. */
const LOG_BYTES = 65_536;

class Reading {
  readonly sections: CaptureSection[] = [];
  readonly problems: SourceProblem[] = [];
  readonly #settings: SourceSettings;
  readonly #host: TransportHost;
  readonly #signal: AbortSignal;

  constructor(settings: SourceSettings, host: TransportHost, signal: AbortSignal) {
    this.#settings = settings;
    this.#host = host;
    this.#signal = signal;
  }

  async readAll(transport: Transport | undefined): Promise<void> {
    const { manager, servers, via, licenseFiles, optionsFiles, debugLog } = this.#settings;
    if (transport !== undefined && manager === 'json') await this.#read('document', transport, []);
    if (transport !== undefined && manager === 'rlm') {
      // a file or an address has one answer
      const asked = via?.kind === 'command' ? servers : servers.slice(0, 1);
      for (const [at, server] of asked.entries())
        await this.#read('rlmstat', transport, ['rlmstat', '-a', '-c', server], `server ${at + 1}`);
    }
    if (transport !== undefined && manager === 'flexnet') {
      await this.#read('lmstat', transport, lmstatArguments(this.#settings, '-a'));
      if (via?.kind === 'command') await this.#read('inventory', transport, lmstatArguments(this.#settings, '-i'));
    }
    for (const [at, file] of licenseFiles.entries()) await this.#readFile('license', file, `file ${at + 1}`);
    for (const [daemon, file] of Object.entries(optionsFiles)) await this.#readFile('options', file, daemon);
    if (debugLog !== undefined) await this.#readLog(debugLog);
  }

  async #read(input: InputKind, transport: Transport, args: readonly string[], of?: string): Promise<void> {
    const output = await this.#try(input, of, () => transport.read(args, this.#signal));
    if (output === undefined) return;
    const { stdout, stderr, exitCode, at } = output;
    this.sections.push({ input, stream: 'stdout', of, exitCode, at, text: stdout });
    if (stderr !== '') this.sections.push({ input, stream: 'stderr', of, exitCode, at, text: stderr });
  }

  async #readFile(input: InputKind, file: string, of: string): Promise<void> {
    const { name: label, timeout, maxOutput, encoding } = this.#settings;
    const via = { kind: 'file', file, maxAge: Number.POSITIVE_INFINITY } as const;
    const transport = createFileTransport({ ...via, label, timeout, maxOutput, encoding }, this.#host);
    const output = await this.#try(input, of, () => transport.read([], this.#signal));
    await transport.close();
    if (output !== undefined) this.sections.push({ input, stream: 'text', of, at: output.at, text: output.stdout });
  }

  async #readLog({ path, encoding }: NonNullable<SourceSettings['debugLog']>): Promise<void> {
    const { now, elapsed } = this.#host;
    const follower = createLogFollower({ path, encoding, elapsed, bytesBefore: LOG_BYTES });
    try {
      const { pieces, problem, head } = await follower.look();
      if (problem !== undefined) this.#fail('log', undefined, problem);
      const lines = pieces.flatMap((piece) => piece.lines);
      // a report log is encrypted
      if (formOfLog(head ?? '') === 'report' || lines.length === 0) return;
      this.sections.push({ input: 'log', stream: 'text', at: now(), text: lines.join('\n') });
    } finally {
      await follower.close();
    }
  }

  async #try(input: InputKind, of: string | undefined, read: () => Promise<Output>): Promise<Output | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof SourceFailure) || this.#signal.aborted) throw error;
      this.#fail(input, of, error);
      return undefined;
    }
  }

  #fail(input: InputKind, of: string | undefined, { kind, message }: SourceProblem): void {
    this.problems.push({ kind, message });
    this.sections.push({ input, stream: 'failure', of, at: this.#host.now(), text: kind });
  }
}

/**
 * Reads a source once, as its reader does. What cannot be read is a section that says so.
 *
 * @throws SourceFailure if the signal was aborted
 */
export async function readTexts(
  settings: SourceSettings,
  host: TransportHost,
  signal: AbortSignal,
): Promise<SourceTexts> {
  const { manager, via, timeZone, servers, daemons, users, borrow, interval, debugLog } = settings;
  const reading = new Reading(settings, host, signal);
  const transport = createTransport(settings, host);
  try {
    await reading.readAll(transport);
  } finally {
    await transport?.close();
  }
  const header: CaptureHeader = {
    manager,
    via: via?.kind ?? 'license files',
    time: host.now(),
    timeZone,
    servers,
    daemons,
    split: users.split,
    lingerAtLeast: borrow.lingerAtLeast,
    interval,
    logTimeZone: debugLog?.timeZone,
  };
  return { header, sections: reading.sections, problems: reading.problems };
}
