import { originOf } from '../../analyzer/analyzer.ts';
import { openHistoryFile } from '../../analyzer/history/history-file.ts';
import { HISTORY_FILE, RIGHTSIZING_FILE } from '../../base/storage/saved-files.ts';
import { openKeptFile } from '../../insight/advice/pass/kept-file.ts';
import type { Config } from '../config/config.ts';

/** Opens a file of a backup as the daemon will, which converts one of an earlier version. @throws OperatorError if it is refused */
export function checkRestored(config: Config, name: string, path: string): void {
  const { timeZone, storeMaxSize: maxSize } = config.embeddedAnalyzer;
  if (name === HISTORY_FILE) openHistoryFile({ path, timeZone, origin: originOf(config), maxSize }).close();
  if (name === RIGHTSIZING_FILE) openKeptFile(path).close();
}
