import { directoryProblem, isWritableByAll } from '../../base/files/named-files.ts';
import { fieldEndpoints, recordFields } from '../../base/query-api/records.ts';
import { suggest } from '../../base/settings/names.ts';
import { OFF } from '../../base/settings/values.ts';
import type { ConfigSettings } from './config-settings.ts';

/** Checks that involve more than one value: directories, and settings that depend on each other. */

/** `Endpoint.Field` of every field that polled answers are expected to have. */
const polledFields: readonly string[] = fieldEndpoints.flatMap((endpoint) =>
  Object.keys(recordFields[endpoint]).map((field) => `${endpoint}.${field}`),
);

function checkAbsentFields(settings: ConfigSettings): void {
  const key = 'analyzer.absent_fields';
  for (const [i, name] of (settings.value(key) ?? []).entries()) {
    if (polledFields.includes(name)) continue;
    const near = suggest(name, polledFields) || '; valid are names such as GetFeatures.MaxQueued, as in the Query API';
    settings.refuse(key, `${JSON.stringify(name)} is not a field of a polled endpoint${near}`, [i]);
  }
}

function checkShard(settings: ConfigSettings): void {
  const [index, total] = [settings.value('shard.index'), settings.value('shard.total')];
  if (index !== undefined && total !== undefined && index >= total) {
    settings.refuse('shard.index', `must be below shard.total (${total})`);
  }
}

function checkListening(settings: ConfigSettings): void {
  const key = 'web.listen_address';
  const addresses = settings.value(key)?.map(({ host, port }) => `${host ?? ''}:${port}`);
  if (addresses === undefined) return;
  if (addresses.length === 0) settings.refuse(key, 'is empty; at least one address is required');
  for (const [i, address] of addresses.entries()) {
    if (!address.endsWith(':0') && addresses.indexOf(address) !== i) {
      settings.refuse(key, `${address} is listed twice`, [i]);
    }
  }
}

/** Neither the path of the metrics nor the path of the Grafana routes may contain the other. */
function checkPaths(settings: ConfigSettings): void {
  const [path, metrics] = [settings.value('datasource.path'), settings.value('web.telemetry_path')];
  if (path === undefined || metrics === undefined) return;
  if (`${metrics}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${metrics}/`)) {
    const key = settings.rawSetting('datasource.path') === undefined ? 'web.telemetry_path' : 'datasource.path';
    const other = key === 'datasource.path' ? `web.telemetry_path ${metrics}` : `datasource.path ${path}`;
    settings.refuse(key, `${key === 'datasource.path' ? path : metrics} and ${other} overlap`);
  }
}

/** Checks settings that depend on each other. A setting that is already invalid causes no further problem. */
export function checkRelations(settings: ConfigSettings): void {
  checkAbsentFields(settings);
  checkShard(settings);
  checkListening(settings);
  checkPaths(settings);
  if (settings.value('poll.server_down') === OFF) {
    settings.warnings.add(
      'poll.server_down is off: license servers that are down are not detected, and LicenseServerDown never fires',
    );
  }
  const storage = settings.pathOf('storage.path');
  const problem = storage === undefined ? undefined : directoryProblem(storage);
  // only a warning: the daemon runs without it
  if (problem !== undefined) settings.warnings.add(`storage.path: ${problem}`);
  if (storage !== undefined && isWritableByAll(storage)) {
    settings.warnings.add(
      `storage.path: every user of this host can replace the files in ${storage}; forbid it (chmod 700 ${storage})`,
    );
  }
}
