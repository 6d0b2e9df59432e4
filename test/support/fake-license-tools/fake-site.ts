import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Modes of both tools. `ok` prints the text of the server; without one, the server is down. See `replay.sh`. */
export type FakeMode =
  | 'ok'
  | 'down'
  | 'daemon_down'
  | 'refused'
  | 'garbage'
  | 'empty'
  | 'cut'
  | 'crash'
  | 'hang'
  | 'orphan'
  | 'flood'
  // only of lmutil
  | 'lmgrd_down'
  | 'protocol';

export interface FakeSite {
  readonly folder: string;
  /** For the `env` of sources: without it, the tools do not find the folder. */
  readonly env: { readonly FAKE_LICENSE_SITE: string };
  /**
   * What the tool prints for a server from now on.
   *
   * @param server `port@host`, or the whole argument of `-c`
   * @param narrow `i` for `lmstat -i`, or the name of a daemon for `-S`
   */
  print(server: string, text: string, narrow?: string): void;
  play(server: string, mode: FakeMode): void;
  /** The daemon that is down in the mode `daemon_down`. */
  nameDaemon(server: string, daemon: string): void;
  exitWith(server: string, code: number): void;
  /** Seconds before it prints, with fractions. */
  delay(server: string, seconds: number): void;
  printErrors(server: string, text: string): void;
  /** The arguments of each call, in order. */
  callsOf(server: string): readonly string[];
  /** As if the server had never been there. */
  remove(server: string): void;
}

/** Both tools, absolute. */
export const fakeLmutil = join(import.meta.dirname, 'fake-lmutil');
export const fakeRlmutil = join(import.meta.dirname, 'fake-rlmutil');

const settings = ['txt', 'i.txt', 'mode', 'daemon', 'exit', 'delay', 'stderr', 'calls'];

/** Creates the folder that the fake tools read. A tool that runs at the same time sees the old file or the new one. */
export function createFakeSite(folder: string): FakeSite {
  mkdirSync(folder, { recursive: true });
  const pathOf = (server: string, setting: string): string => join(folder, `${server}.${setting}`);
  const write = (server: string, setting: string, text: string): void => {
    const path = pathOf(server, setting);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  return {
    folder,
    env: { FAKE_LICENSE_SITE: folder },
    print: (server, text, narrow) => write(server, narrow === undefined ? 'txt' : `${narrow}.txt`, text),
    play: (server, mode) => write(server, 'mode', `${mode}\n`),
    nameDaemon: (server, daemon) => write(server, 'daemon', `${daemon}\n`),
    exitWith: (server, code) => write(server, 'exit', `${code}\n`),
    delay: (server, seconds) => write(server, 'delay', `${seconds}\n`),
    printErrors: (server, text) => write(server, 'stderr', text),
    callsOf: (server) => {
      try {
        return readFileSync(pathOf(server, 'calls'), 'utf8').split('\n').slice(0, -1);
      } catch {
        return [];
      }
    },
    remove: (server) => {
      for (const setting of settings) rmSync(pathOf(server, setting), { force: true });
    },
  };
}
