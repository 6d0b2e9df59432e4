import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { CommandSettings } from '../source-settings.ts';
import { type ChildEnd, runChild, type StopReason } from './child-run.ts';
import { decodeOutput } from './decode-output.ts';
import type { Executable } from './executable.ts';
import { Reads } from './reads.ts';
import { OutOfTime } from './shared-work.ts';
import { silentExitFailure, startFailure } from './start-failure.ts';
import { checkTool } from './tool-check.ts';
import type { Output, Transport, TransportSettings } from './transport.ts';
import type { TransportHost } from './transport-host.ts';

type Settings = CommandSettings & TransportSettings;

/** Not ours: a tool is found in the same places however this process was started. */
const TOOL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that a tool gets of an environment: nothing of ours, no secret, and no variable that names other license servers. */
const environmentOf = (settings: Settings, folder: string): Readonly<Record<string, string>> => ({
  PATH: TOOL_PATH,
  LANG: 'C',
  LC_ALL: 'C',
  TZ: 'UTC',
  HOME: folder,
  ...settings.env,
});

function stopFailure(tool: string, why: StopReason, { label, timeout, maxOutput }: Settings): SourceFailure {
  switch (why) {
    case 'timeout':
      return new SourceFailure(
        'timeout',
        `${tool} did not end within ${timeout} s and was stopped; check that the license server answers (a firewall that drops packets makes tools wait), or set a longer timeout for the source ${label}`,
      );
    case 'too_large':
      return new SourceFailure(
        'too_large',
        `${tool} printed more than ${maxOutput} bytes and was stopped; ask for less with other arguments, or set a larger max_output for the source ${label}`,
      );
    case 'left_open':
      return new SourceFailure(
        'exit',
        `${tool} ended, but a process that it started kept its output open, so the output may be incomplete; let the tool wait for that process, or redirect the output of that process to /dev/null`,
      );
    case 'canceled':
      return new SourceFailure(
        'timeout',
        `${tool} was stopped before it ended, because the next collection of the source ${label} is due or this process is stopping`,
      );
  }
}

const stuckFailure = (tool: string, processes: readonly number[], label: string): SourceFailure =>
  new SourceFailure(
    'stuck',
    `${tool} cannot be stopped (process ${processes.slice(0, 5).join(', ')}); the source ${label} is not read until it ends; check the file systems that the tool uses (NFS), and whether it runs as another user`,
  );

/**
 * Runs a tool for each `read`: without a shell, with an environment and a directory of its own, and never more than four of
 * all sources at once. Nothing of a run is left when `read` settles, or the failure is `stuck`. Output that may be
 * incomplete is never returned; an exit code that is not 0 is no failure here.
 */
export function createCommandTransport(settings: Settings, host: TransportHost): Transport {
  const [tool = '', ...firstArgs] = settings.command;
  const reads = new Reads();
  let stuck: readonly number[] | undefined;

  const run = async (
    folder: string,
    mark: string,
    args: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ChildEnd> => {
    let unwatch = (): void => undefined;
    const end = await runChild({
      file: tool,
      args: [...firstArgs, ...args],
      folder,
      env: environmentOf(settings, folder),
      mark,
      timeoutMs,
      maxOutput: settings.maxOutput,
      signal,
      sendSignal: host.sendSignal,
      onStart: (group) => {
        unwatch = host.reaper.watch(group);
      },
    });
    if (end.is === 'stuck') void end.gone.then(unwatch);
    else unwatch();
    return end;
  };

  const outputOf = async (end: ChildEnd, executable: Executable | undefined): Promise<Output> => {
    if (end.is === 'not_started') throw await startFailure(tool, executable, end.error);
    if (end.is === 'stopped') throw stopFailure(tool, end.why, settings);
    if (end.is === 'stuck') throw stuckFailure(tool, end.processes, settings.label);
    if (end.killedBy !== undefined)
      throw new SourceFailure(
        'exit',
        `${tool} was ended by the signal ${end.killedBy}; run it by hand, and check the log of the system (it may have crashed or used too much memory)`,
      );
    const stdout = decodeOutput(end.stdout, settings.encoding);
    const stderr = decodeOutput(end.stderr, settings.encoding);
    const silent =
      end.stdout.length === 0
        ? silentExitFailure(tool, executable, { exitCode: end.exitCode, stderr }, settings.env['PATH'] ?? TOOL_PATH)
        : undefined;
    if (silent !== undefined) throw silent;
    return { stdout, stderr, exitCode: end.exitCode, at: host.now() };
  };

  /** @param release is called when the place is free again, which may be later */
  const readInPlace = async (args: readonly string[], signal: AbortSignal, release: () => void): Promise<Output> => {
    const endAt = performance.now() + settings.timeout * 1000;
    let folder: string | undefined;
    let end: ChildEnd | undefined;
    try {
      const limits = { timeoutMs: settings.timeout * 1000, signal };
      const executable = await host.toolChecks.run(tool, () => checkTool(tool), limits);
      // it covers the directory too
      const mark = host.reaper.cover();
      folder = await host.workFolder.create().catch((error: Error) => {
        throw new SourceFailure(
          'not_executable',
          `the working directory of ${tool} cannot be created: ${error.message}`,
        );
      });
      signal.throwIfAborted();
      end = await run(folder, mark, args, endAt - performance.now(), signal);
      return await outputOf(end, executable);
    } finally {
      const tidy = async (): Promise<void> => {
        stuck = undefined;
        release();
        if (folder !== undefined) await host.workFolder.remove(folder);
      };
      if (end?.is === 'stuck') {
        stuck = end.processes;
        void end.gone.then(tidy);
      } else await tidy();
    }
  };

  const failureOf = (error: unknown, signal: AbortSignal): SourceFailure => {
    if (error instanceof SourceFailure) return error;
    if (error instanceof OutOfTime)
      return new SourceFailure(
        'timeout',
        `${tool} could not be examined within ${settings.timeout} s; check the file system that contains it (NFS)`,
      );
    if (signal.aborted) return stopFailure(tool, 'canceled', settings);
    throw error;
  };

  return {
    read: (args, callerSignal) =>
      reads.run(callerSignal, async (signal) => {
        if (stuck !== undefined) throw stuckFailure(tool, stuck, settings.label);
        const release = await host.places.take(signal).catch(() => {
          throw new SourceFailure(
            'timeout',
            `${tool} was not started for the source ${settings.label}, because the tools of other sources took all places until the next collection; set longer intervals, or shorter timeouts`,
          );
        });
        try {
          return await readInPlace(args, signal, release);
        } catch (error) {
          throw failureOf(error, signal);
        }
      }),
    close: () => reads.close(),
  };
}
