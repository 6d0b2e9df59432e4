import type { Draft } from './draft.ts';
import { directoryProblem } from './named-files.ts';
import { type SettingKey, settingKeys } from './settings.ts';
import { OFF } from './values.ts';

/** What single values cannot tell: cron expressions, directories, and settings that must fit together. */

/** Settings of `poll` that are no schedule. */
const others = ['poll.max_data_age', 'poll.start_offset'] as const;

type ScheduleKey = Exclude<SettingKey & `poll.${string}`, (typeof others)[number]>;

const schedules = settingKeys.filter(
  (key): key is ScheduleKey => key.startsWith('poll.') && !(others as readonly SettingKey[]).includes(key),
);

function checkSchedules(draft: Draft): void {
  for (const key of schedules) {
    const value = draft.value(key);
    if (value === undefined) continue;
    if (value === OFF) {
      if (key !== 'poll.products') continue;
      draft.refuse(key, 'GetProducts cannot be off: it names the vendor licenses that everything else is asked about');
      continue;
    }
    const problem = draft.options.cronProblem(value);
    const wanted = key === 'poll.products' ? 'not a cron expression' : 'neither off nor a cron expression';
    if (problem !== undefined) draft.refuse(key, `${JSON.stringify(value)} is ${wanted}: ${problem}`);
  }
  if (draft.value('poll.server_down') === OFF) {
    draft.warnings.add(
      'poll.server_down is off: license servers that are down are not seen, and LicenseServerDown never fires',
    );
  }
}

function checkShard(draft: Draft): void {
  const [index, total] = [draft.value('shard.index'), draft.value('shard.total')];
  if (index !== undefined && total !== undefined && index >= total) {
    draft.refuse('shard.index', `must be below shard.total (${total})`);
  }
}

function checkListening(draft: Draft): void {
  const key = 'web.listen_address';
  const addresses = draft.value(key)?.map(({ host, port }) => `${host ?? ''}:${port}`);
  if (addresses === undefined) return;
  if (addresses.length === 0) draft.refuse(key, 'is empty; at least one address is needed');
  for (const [i, address] of addresses.entries()) {
    if (!address.endsWith(':0') && addresses.indexOf(address) !== i) {
      draft.refuse(key, `${address} is listed twice`, [i]);
    }
  }
}

/** The metrics must not lie below the routes for Grafana, nor they below it. */
function checkPaths(draft: Draft): void {
  const [path, metrics] = [draft.value('datasource.path'), draft.value('web.telemetry_path')];
  if (path === undefined || metrics === undefined) return;
  if (`${metrics}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${metrics}/`)) {
    const key = draft.given('datasource.path') === undefined ? 'web.telemetry_path' : 'datasource.path';
    const other = key === 'datasource.path' ? `web.telemetry_path ${metrics}` : `datasource.path ${path}`;
    draft.refuse(key, `${key === 'datasource.path' ? path : metrics} and ${other} overlap`);
  }
}

/** Checks what follows from several settings. Where one of them is wrong by itself, nothing follows. */
export function checkRelations(draft: Draft): void {
  checkSchedules(draft);
  checkShard(draft);
  checkListening(draft);
  checkPaths(draft);
  const storage = draft.pathOf('storage.path');
  const problem = storage === undefined ? undefined : directoryProblem(storage);
  // the daemon goes on without it, and says so again where it would use it
  if (problem !== undefined) draft.warnings.add(`storage.path: ${problem}`);
  if (draft.value('metrics.collectors.history') && draft.value('history.features')?.length === 0) {
    draft.warnings.add('the collector history is on, but history.features names nothing to ask for');
  }
}
