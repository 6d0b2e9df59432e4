import { z } from 'zod';
import { alerting } from '../../alerting/settings.ts';
import { archive } from '../../analyzer/archive/settings.ts';
import { embeddedAnalyzer, people } from '../../analyzer/settings.ts';
import { analyzer } from '../../base/settings/analyzer.ts';
import { type Camel, camel } from '../../base/settings/camel.ts';
import { owners, ownersFile } from '../../base/settings/owners.ts';
import { secretInFile } from '../../base/settings/structures.ts';
import { createTable, type KeyOf, type Table, type ValuesOf } from '../../base/settings/table.ts';
import { storagePath } from '../../base/storage/saved-files.ts';
import { expiration, select, shard } from '../../exporter/inventory/settings.ts';
import { metrics } from '../../exporter/metrics/settings.ts';
import { features, history, poll } from '../../exporter/poll/settings.ts';
import { rightsizing } from '../../insight/advice/pass/settings.ts';
import { access, datasource, web } from '../../site/settings.ts';
import { log } from '../log/settings.ts';

const storage = z.strictObject({ path: storagePath, archive }).describe('Data that survives restarts.');

/**
 * Every setting, in the sections of the file. Its schema defines type, default, bounds and description. Keys, flags,
 * environment variables, help, documentation, JSON Schema and `Config` are derived from it.
 */
export const sections = {
  analyzer,
  poll,
  features,
  select,
  history,
  metrics,
  expiration,
  storage,
  web,
  access,
  alerting,
  datasource,
  rightsizing,
  owners,
  owners_file: ownersFile,
  people,
  shard,
  log,
  embedded_analyzer: embeddedAnalyzer,
} as const;

/** `analyzer.tls.ca_file`. */
export type SettingKey = KeyOf<typeof sections>;

/** The name of a section, the first part of the key of a setting. */
export type SectionName = keyof typeof sections;

/** The values of a section, in camelCase. */
export type Section<N extends SectionName> = ValuesOf<typeof sections>[Camel<N>];

/** Keys of the web config, which is a file of its own. */
const ofWebConfig: ReadonlySet<string> = new Set(['basic_auth_users', 'tls_server_config', 'http_server_config']);

/** Secrets that Alertmanager accepts in its file. */
const inlineSecrets: ReadonlySet<string> = new Set([
  'alerting.email.auth_password',
  'alerting.webhook.basic_auth.password',
  'alerting.webhook.authorization.credentials',
]);

/** Every setting by its key. Secrets, and what belongs into other files, are refused here with the right place. */
export const settingTable: Table<typeof sections> = createTable(sections, (key, setting) => {
  if (inlineSecrets.has(key)) return secretInFile(key.split('.').at(-1) ?? '');
  if (ofWebConfig.has(key)) return 'belongs into the web config, the file that web.config_file names';
  return setting?.secret
    ? `a secret must not be in the file; use ${key}_file, the environment or $CREDENTIALS_DIRECTORY`
    : undefined;
});

export const { settings, keys: settingKeys } = settingTable;

/** The values of a section, in camelCase. */
export function sectionOf<N extends SectionName>(name: N, read: (key: SettingKey) => unknown): Section<N> {
  const below = (path: string): unknown =>
    settingTable.isSetting(path)
      ? read(path)
      : Object.fromEntries(settingTable.namesBelow(path).map((next) => [camel(next), below(`${path}.${next}`)]));
  return below(name) as Section<N>;
}

/** `LICENSE_EXPORTER_WEB_LISTEN_ADDRESS` for `web.listen_address`, even if the setting cannot be set by a variable. */
export const variableName = (key: SettingKey): string => `LICENSE_EXPORTER_${key.replaceAll('.', '_').toUpperCase()}`;

/** The environment variable of a setting; `undefined` if it can only be set in the file. */
export const environmentName = (key: SettingKey): string | undefined =>
  settings[key].fileOnly === true ? undefined : variableName(key);

/** `web.listen-address` of `web.listen_address`, `collector.NAME` of a collector; without the dashes before it. */
export const flagName = (key: SettingKey): string | undefined => flagNames(key)[0];

/** The flags of a setting: as other exporters spell it, and as its key. Empty if the setting has no flag. */
export function flagNames(key: SettingKey): readonly string[] {
  const { secret, fileOnly, flag } = settings[key];
  if (secret === true || fileOnly === true) return [];
  const derived = key.replace(/^metrics\.collectors\./, 'collector.').replaceAll('_', '-');
  return flag === undefined ? [derived] : [flag, derived];
}
