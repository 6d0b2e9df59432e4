import { text } from '../settings/values.ts';

/** `storage.path`: where state is kept. */
export const storagePath = text
  .optional()
  .meta({ restart: 'with-analyzer', shownDefault: '`$STATE_DIRECTORY`, which systemd sets' })
  .describe(
    'Directory for data that survives restarts: the count of logons, the alerts, the advice on the number of licenses, and the history of the embedded analyzer. Only one process can use it.',
  );

/** A file of a storage directory that is in a backup. */
export interface SavedFile {
  readonly name: string;
  readonly kind: 'database' | 'text';
}

/** The history of the embedded analyzer. */
export const HISTORY_FILE = 'history.db';
/** Advice on the number of licenses, of this month and of the months before. */
export const RIGHTSIZING_FILE = 'rightsizing.db';
/** With another key, users get other pseudonyms. */
export const PSEUDONYM_KEY = 'pseudonym.key';

/** Files with the state of alerts, messages and fields. They are replaced as a whole. */
export const stateFiles = {
  alerts: 'alert-state.json',
  listed: 'listed.json',
  messages: 'messages.json',
  fields: 'fields.json',
} as const;

/** The directory in which a restore collects its files. */
export const PARTIAL_RESTORE = 'restore-partial';

/**
 * The files of a storage directory that are in a backup: what cannot be learned again. The others belong to the present:
 * old messages would be sent again, an old count of logons could lock the account, and alerts are evaluated again.
 */
export const savedFiles: readonly SavedFile[] = [
  { name: HISTORY_FILE, kind: 'database' },
  { name: RIGHTSIZING_FILE, kind: 'database' },
  { name: PSEUDONYM_KEY, kind: 'text' },
];

/** The names of the files that a backup has. */
export const savedNames: readonly string[] = savedFiles.map(({ name }) => name);
