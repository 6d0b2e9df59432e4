import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writeBackup } from '../../../src/base/storage/backup.ts';
import { lockDirectory, lockStorage } from '../../../src/base/storage/directory-lock.ts';
import { removeAbandoned } from '../../../src/base/storage/leftovers.ts';
import { stateFiles } from '../../../src/base/storage/saved-files.ts';
import { createCleanup, createConfig, createTestLog, startAnalyzer, startApp } from '../../support/harness.ts';

/** What a killed process leaves behind: parts of files, which get their names when they are whole. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-leftovers-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

function write(...path: string[]): void {
  const file = join(...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{"v":');
}

/** The id of a process that has ended. */
const deadPid = (): number => spawnSync('true').pid;

const LONG_AGO = Date.now() / 1000 - 2 * 86_400;

/** Makes a directory look as if nobody had written to it for two days. */
function age(folder: string): void {
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), LONG_AGO, LONG_AGO);
  utimesSync(folder, LONG_AGO, LONG_AGO);
}

describe('in storage.path', () => {
  it('parts of state files and of a restore are removed at the start, and nothing else', async () => {
    const storage = createFolder();
    const left = Object.values(stateFiles).flatMap((file) => [`${file}.1.tmp`, `${file}.${process.pid}.tmp`]);
    for (const name of left) write(storage, name);
    write(storage, 'restore-partial', 'history.db');
    const others = ['notes.tmp', 'alert-state.json.tmp', 'alert-state.json.old.tmp', 'other.json.1.tmp', 'a.1.tmp'];
    for (const name of others) write(storage, name);
    symlinkSync(join(storage, 'notes.tmp'), join(storage, 'messages.json.3.tmp'));
    mkdirSync(join(storage, 'listed.json.2.tmp'));
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url, { 'storage.path': storage }));
    cleanup.add(() => app.stop());
    const kept = [...others, 'messages.json.3.tmp', 'listed.json.2.tmp'];
    expect(
      readdirSync(storage)
        .filter((name) => /tmp$|partial/.test(name))
        .sort(),
    ).toEqual(kept.sort());
    const line = app.log.entries.find(({ message }) => message === 'removed what a killed process left');
    expect(new Set(line?.fields.files as string[] | undefined)).toEqual(new Set([...left, 'restore-partial']));
  });

  it('nothing is removed while another process has the directory', () => {
    const storage = createFolder();
    write(storage, 'alert-state.json.1.tmp');
    const other = lockDirectory(storage, '');
    cleanup.add(() => other.close());
    expect(() => lockStorage(storage, createTestLog())).toThrow('is used by another process');
    expect(existsSync(join(storage, 'alert-state.json.1.tmp'))).toBe(true);
  });
});

describe('in a folder where several processes write', () => {
  const own = { name: /^work-(?<pid>\d+)$/, holds: (entry: string) => entry === 'a.db', untouched: 3600 };

  it('a directory is removed if its process is gone, and nobody changed it for a time', () => {
    const folder = createFolder();
    const dead = deadPid();
    for (const pid of [dead, process.ppid]) {
      write(folder, `work-${pid}`, 'a.db');
      age(join(folder, `work-${pid}`));
    }
    write(folder, 'work-x', 'a.db');
    age(join(folder, 'work-x'));
    removeAbandoned(folder, own);
    expect(readdirSync(folder).sort()).toEqual([`work-${process.ppid}`, 'work-x'].sort());
  });

  it('a directory with the id of this process is removed only if it is older than this process', () => {
    const folder = createFolder();
    write(folder, `work-${process.pid}`, 'a.db');
    removeAbandoned(folder, { ...own, untouched: 0 });
    expect(readdirSync(folder)).toEqual([`work-${process.pid}`]);
    age(join(folder, `work-${process.pid}`));
    removeAbandoned(folder, { ...own, untouched: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a directory stays while something in it is changed, or if it has what this program does not write', () => {
    const folder = createFolder();
    const [fresh, foreign] = [deadPid(), deadPid()];
    write(folder, `work-${fresh}`, 'a.db');
    write(folder, `work-${foreign}`, 'thesis.txt');
    age(join(folder, `work-${foreign}`));
    removeAbandoned(folder, own);
    expect(readdirSync(folder)).toHaveLength(2);
    age(join(folder, `work-${fresh}`));
    removeAbandoned(folder, own);
    expect(readdirSync(folder)).toEqual([`work-${foreign}`]);
    removeAbandoned(join(folder, 'nowhere'), own);
  });

  it('parts of backups are removed by a later backup beside them', async () => {
    const [storage, backups] = [createFolder(), createFolder()];
    writeFileSync(join(storage, 'pseudonym.key'), 'key');
    const [old, running, foreign] = ['mon.partial-abcDE1', 'tue.partial-abcDE2', 'wed.partial-abcDE3'];
    write(backups, old, 'history.db');
    write(backups, running, 'history.db');
    write(backups, foreign, 'photo.jpg');
    for (const name of [old, foreign]) age(join(backups, name));
    const stop = new AbortController().signal;
    await writeBackup({ storage, destination: join(backups, 'thu'), version: '0', stop });
    expect(readdirSync(backups).sort()).toEqual(['thu', running, foreign].sort());
  });
});
