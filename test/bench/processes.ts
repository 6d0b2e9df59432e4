import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resources of another process, read from /proc so that reading costs that process nothing. Linux only. */

/** Bytes in memory now, and at most since `resetPeak`. */
export function readMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Forgets the peak of the memory. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

export const countOpenFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Clock ticks of 10 ms that all threads have used, ended ones included. */
function readTicks(pid: number): number {
  // the name of the program, in parentheses, can contain spaces
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** How often each thread gave up the processor by itself, which it does before each wake-up. */
export function readSwitches(pid: number): ReadonlyMap<string, number> {
  const count = (thread: string): number =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))?.[1]);
  return new Map(readdirSync(`/proc/${pid}/task`).map((thread) => [thread, count(thread)]));
}

/** Whether a thread runs, or would if a core were free. */
function isRunning(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).some((thread) => {
    try {
      return /^.*\) [RD] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
    } catch {
      // the thread has ended meanwhile
      return false;
    }
  });
}

/** Processor time of all threads since the start of the process, milliseconds, in steps of 10. */
export const readProcessorTime = (pid: number): number => readTicks(pid) * 10;

const QUIET_MS = 400;

/**
 * Waits until a process has used at most one tick for a while and no thread of it waits for a core: what it was doing is
 * finished, even on a busy machine.
 */
export async function untilQuiet(pid: number): Promise<void> {
  let since = performance.now();
  let ticks = readTicks(pid);
  while (performance.now() - since < QUIET_MS) {
    await sleep(20);
    const now = readTicks(pid);
    if (now - ticks <= 1 && !isRunning(pid)) continue;
    since = performance.now();
    ticks = now;
  }
}
