import { originOf } from '../../analyzer/analyzer.ts';
import { openHistoryFile } from '../../analyzer/history/history-file.ts';
import { writeBackup } from '../../base/storage/backup.ts';
import { restoreBackup } from '../../base/storage/restore.ts';
import { HISTORY_FILE, RIGHTSIZING_FILE } from '../../base/storage/saved-files.ts';
import { openKeptFile } from '../../insight/advice/pass/kept-file.ts';
import { storagePathOf } from '../app/storage.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';

/** Opens a file of a backup as the daemon will, which converts one of an earlier version. @throws OperatorError if it is refused */
function checkRestored(config: Config, name: string, path: string): void {
  const { timeZone, storeMaxSize: maxSize } = config.embeddedAnalyzer;
  if (name === HISTORY_FILE) openHistoryFile({ path, timeZone, origin: originOf(config), maxSize }).close();
  if (name === RIGHTSIZING_FILE) openKeptFile(path).close();
}

/** Restores a backup and prints what has changed. */
export async function restore({ line, env, print, stop }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  const { manifest, before } = await restoreBackup({
    storage: storagePathOf(config),
    source: line.argument,
    check: (name, path) => checkRestored(config, name, path),
    stop,
  });
  const names = manifest.files.map(({ name }) => name).join(', ');
  print(`Restored from ${manifest.created}: ${names}.\n`);
  if (before !== undefined) print(`What was there before is in ${before}.\n`);
  return 0;
}

/** Writes a backup of the storage directory and prints its files. */
export async function backup({ line, env, version, print, stop }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  const files = await writeBackup({ storage: storagePathOf(config), destination: line.argument, version, stop });
  for (const { name, size } of files) print(`${name}: ${size} bytes\n`);
  print(`The backup ${line.argument} is complete.\n`);
  return 0;
}
