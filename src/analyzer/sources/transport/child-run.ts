import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { livingProcesses, type Run, type SendSignal } from './processes.ts';

/** One run of a tool, from its start until nothing of it is left. */

/** A program, its environment, and how long and large its output may be. */
export interface ChildOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** See `Run`. It is added to the environment. */
  readonly mark: string;
  /** Milliseconds from now until it is stopped. */
  readonly timeoutMs: number;
  /** Bytes of both outputs together. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
  readonly sendSignal: SendSignal;
  readonly onStart: (group: number) => void;
}

/** Why a run has no output: not in time, too much, canceled, or its output stayed open when the tool had ended. */
export type StopReason = 'timeout' | 'too_large' | 'canceled' | 'left_open';

/** How a program ended. */
export type ChildEnd =
  | { readonly is: 'not_started'; readonly error: NodeJS.ErrnoException }
  | {
      readonly is: 'ended';
      readonly stdout: Uint8Array;
      readonly stderr: Uint8Array;
      readonly exitCode: number | undefined;
      /** The signal that ended it, instead of an exit code. */
      readonly killedBy: NodeJS.Signals | undefined;
    }
  | { readonly is: 'stopped'; readonly why: StopReason }
  /** Not even SIGKILL ended all of it. `gone` resolves when nothing is left. */
  | {
      readonly is: 'stuck';
      readonly why: StopReason;
      readonly processes: readonly number[];
      readonly gone: Promise<void>;
    };

/** Milliseconds between SIGTERM and SIGKILL. A tool that is too slow may tidy up; others are stopped soon. */
const GRACE_MS: Readonly<Record<StopReason, number>> = { timeout: 5000, canceled: 1000, too_large: 1000, left_open: 0 };
/** How long a killed process may take to disappear. */
const VANISH_MS = 700;
/** How long the outputs may stay open after the tool has ended: what is in the pipes must still be read. */
const DRAIN_MS = 1000;
const CHECK_MS = 20;
const STUCK_CHECK_MS = 1000;

class ChildRun {
  readonly result: Promise<ChildEnd>;
  readonly #settle: (end: ChildEnd) => void;
  readonly #child: ChildProcess;
  readonly #options: ChildOptions;
  readonly #run: Run;
  readonly #outputs: { readonly stdout: Uint8Array[]; readonly stderr: Uint8Array[] } = { stdout: [], stderr: [] };
  readonly #open = new Set<'stdout' | 'stderr'>(['stdout', 'stderr']);
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #cancel = (): void => this.#stop('canceled');
  #size = 0;
  #why: StopReason | undefined;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  #isFinishing = false;

  constructor(child: ChildProcess, group: number, options: ChildOptions) {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    this.result = promise;
    this.#settle = resolve;
    this.#child = child;
    this.#options = options;
    this.#run = { group, mark: options.mark };
    this.#collect('stdout');
    this.#collect('stderr');
    child.on('exit', (code, signal) => this.#onExit(code, signal));
    this.#after(options.timeoutMs, () => this.#stop('timeout'));
    options.signal.addEventListener('abort', this.#cancel, { once: true });
    if (options.signal.aborted) this.#cancel();
  }

  #after(ms: number, work: () => void): void {
    this.#timers.add(setTimeout(work, ms));
  }

  #collect(name: 'stdout' | 'stderr'): void {
    const stream = this.#child[name];
    stream?.on('data', (chunk: Uint8Array) => {
      this.#size += chunk.byteLength;
      if (this.#size > this.#options.maxOutput) this.#stop('too_large');
      else this.#outputs[name].push(chunk);
    });
    // an output that cannot be read is not complete: it counts as open
    stream?.on('error', () => this.#stop('left_open'));
    stream?.on('end', () => {
      this.#open.delete(name);
      if (this.#open.size === 0 && this.#exit !== undefined) void this.#finish();
    });
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = { code, signal };
    if (this.#why !== undefined || this.#open.size === 0) void this.#finish();
    else this.#after(DRAIN_MS, () => this.#drained());
  }

  /** A process that the tool started holds an output open. */
  #drained(): void {
    // ssh leaves a process that holds only stderr; all of a real answer has come by then
    if (this.#open.has('stdout') || this.#outputs.stdout.length === 0) this.#stop('left_open');
    else void this.#finish();
  }

  #stop(why: StopReason): void {
    if (this.#isFinishing) return;
    if (this.#why === undefined) {
      this.#why = why;
      this.#discard();
      if (this.#exit !== undefined) {
        void this.#finish();
        return;
      }
      this.#options.sendSignal(-this.#run.group, 'SIGTERM');
    }
    // a program that is stopping waits less for a tool that is being stopped already
    this.#after(GRACE_MS[why], () => void this.#finish());
  }

  /** A tool that prints to a closed pipe usually ends by itself. */
  #discard(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#outputs.stdout.length = 0;
    this.#outputs.stderr.length = 0;
  }

  /** Kills what is left of the run, and settles when it is gone or does not go. */
  async #finish(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal.removeEventListener('abort', this.#cancel);
    const left = await this.#killAll();
    const why = this.#why;
    const output = { stdout: Buffer.concat(this.#outputs.stdout), stderr: Buffer.concat(this.#outputs.stderr) };
    this.#discard();
    // so that a process that cannot be stopped does not keep this program from ending
    this.#child.unref();
    if (left.length > 0) this.#settle({ is: 'stuck', why: why ?? 'left_open', processes: left, gone: this.#gone() });
    else if (why !== undefined) this.#settle({ is: 'stopped', why });
    else {
      const { code, signal } = this.#exit ?? { code: null, signal: null };
      this.#settle({ is: 'ended', ...output, exitCode: code ?? undefined, killedBy: signal ?? undefined });
    }
  }

  /** Kills what is left, and returns it. Its group is killed as a whole only once: its number could be given out again. */
  #kill(): readonly number[] {
    const left = livingProcesses(this.#run, this.#why === undefined ? 'young' : 'all');
    for (const id of left) this.#options.sendSignal(id, 'SIGKILL');
    // the system has not reported its end yet
    return left.length === 0 && this.#exit === undefined ? [this.#run.group] : left;
  }

  async #killAll(): Promise<readonly number[]> {
    const end = performance.now() + VANISH_MS;
    this.#options.sendSignal(-this.#run.group, 'SIGKILL');
    for (;;) {
      const left = this.#kill();
      if (left.length === 0 || performance.now() > end) return left;
      await pause(CHECK_MS);
    }
  }

  async #gone(): Promise<void> {
    while (this.#kill().length > 0) await pause(STUCK_CHECK_MS, undefined, { ref: false });
  }
}

/** Runs a tool without a shell and without input, in its own process group. Never throws. */
export function runChild(options: ChildOptions): Promise<ChildEnd> {
  const at = options.mark.indexOf('=');
  let child: ChildProcess;
  try {
    child = spawn(options.file, options.args, {
      cwd: options.folder,
      env: { ...options.env, [options.mark.slice(0, at)]: options.mark.slice(at + 1) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    return Promise.resolve({ is: 'not_started', error: error as NodeJS.ErrnoException });
  }
  const group = child.pid;
  if (group === undefined) {
    return new Promise((resolve) => {
      child.on('error', (error) => resolve({ is: 'not_started', error }));
    });
  }
  // what could follow a start, such as a signal that cannot be sent, is handled where it is sent
  child.on('error', () => undefined);
  options.onStart(group);
  return new ChildRun(child, group, options).result;
}
