import { writeBackup } from '../../base/storage/backup.ts';
import { storagePathOf } from '../app/storage.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';

/** Writes a backup of the storage directory and prints its files. */
export async function backup({ line, env, version, print, stop }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  const files = await writeBackup({ storage: storagePathOf(config), destination: line.argument, version, stop });
  for (const { name, size } of files) print(`${name}: ${size} bytes\n`);
  print(`The backup ${line.argument} is complete.\n`);
  return 0;
}
