import { restoreBackup } from '../../base/storage/restore.ts';
import { checkRestored } from '../app/restored-file.ts';
import { storagePathOf } from '../app/storage.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';

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
