import { readdirSync, readFileSync } from 'node:fs';

/** The processes of one run of a tool. */
export interface Run {
  /** The process group of the tool, which is its process id too. */
  readonly group: number;
  /** `NAME=value`: in the environment of the tool and so in that of each process that it starts. */
  readonly mark: string;
}

const isNumber = (name: string): boolean => /^[0-9]+$/.test(name);

/** The newest process id, undefined if the system does not say. */
function newestId(): number | undefined {
  try {
    const id = Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
    return Number.isSafeInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process id was given out after another one. The ids are counted up, and start again at their maximum. */
function isAfter(id: number, group: number, newest: number): boolean {
  return newest >= group ? id >= group && id <= newest : id >= group || id <= newest;
}

/** Whether a process belongs to the run and is alive: one that only waits for its parent to notice its end is not. */
function isOf({ group, mark }: Run, id: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // the name of the program is in parentheses and may contain any character
    const [state = '', , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZXx'.includes(state)) return false;
    if (Number(processGroup) === group) return true;
    // reading the environment of a process that hangs in the system could hang as well
    return state !== 'D' && readFileSync(`/proc/${id}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    // it has ended, or belongs to another user
    return false;
  }
}

/** Whether a process group has members, of which some may only wait for their parents. */
function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The processes of a run that are alive: those of its group, and those that left the group, found by their environment.
 * It takes 10 µs for each process of the host. Systems without /proc show the group only.
 *
 * @param reach `young` looks only at process ids given out after the start of the run, which is quicker, and is wrong if
 *   all ids were given out since
 */
export function livingProcesses(run: Run, reach: 'all' | 'young'): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc').filter(isNumber);
  } catch {
    names = [];
  }
  if (names.length === 0) return hasMembers(run.group) ? [run.group] : [];
  const newest = reach === 'young' ? newestId() : undefined;
  return names.map(Number).filter((id) => (newest === undefined || isAfter(id, run.group, newest)) && isOf(run, id));
}

/** Sends a signal to a process, or to a group if the number is negative. False if that is gone or cannot be reached. */
export type SendSignal = (target: number, signal: NodeJS.Signals) => boolean;

/** Sends a signal to a process or a group. @returns false if it does not exist */
export const sendSignal: SendSignal = (target, signal) => {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
};
