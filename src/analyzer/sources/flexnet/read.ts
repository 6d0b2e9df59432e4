import { joined, type OnUnread } from '../lines.ts';
import type { ReadInput } from '../manager.ts';
import { textOf } from '../transport/transport.ts';
import type { LicenseSupply } from './inventory.ts';
import { parseLmstat } from './lmstat.ts';
import { type InventoryReport, parseLmstatInventory } from './lmstat-inventory.ts';
import type { LmstatReport } from './lmstat-report.ts';
import { type FlexnetInput, type FlexnetParsed, observeFlexnet } from './observe.ts';
import { ownPartOf } from './own-part.ts';
import type { FlexnetOwn } from './own-settings.ts';
import { flexnetSettings } from './settings.ts';

/** What is known beside `lmstat -a`. */
export type Beside = Pick<FlexnetInput, 'inventory' | 'fileSupply' | 'options' | 'served' | 'memory'>;

/** The rows of the tables of the servers that were asked. A table before the first server is of all of them. */
function ownSupply(
  { byServers }: InventoryReport,
  report: LmstatReport,
  asked: readonly string[],
): readonly LicenseSupply[] {
  const own = ownPartOf(report, asked)?.report.serverLists ?? [];
  const names = new Set(['', ...own.map((list) => list.join(',').toLowerCase())]);
  return [...names].flatMap((name) => byServers.get(name) ?? []);
}

/** What the output of `lmstat -a` says, with what is known beside it. @throws SourceFailure if it says nothing */
export function readFlexnet(
  { settings, via, output, more }: ReadInput<FlexnetOwn, Beside>,
  onUnread?: OnUnread,
): FlexnetParsed {
  const { at, exitCode: code, stderr } = output;
  const flexnet = flexnetSettings(settings);
  const { localTime, users } = flexnet;
  const { knownHosts } = more.memory;
  const text = textOf(output);
  const report = parseLmstat(text, { localTime, now: at, split: users.split, knownHosts, onUnread });
  const table = report.hasInventory ? parseLmstatInventory(text, { localTime, onUnread }) : undefined;
  const inventory = more.inventory ?? (table && ownSupply(table, report, flexnet.servers));
  const diagnostics = joined([report.diagnostics, ...(table === undefined ? [] : [table.diagnostics])]);
  const run = { at, isCommand: via === 'command', exit: { code, stderr } };
  return observeFlexnet({ ...more, report: { ...report, diagnostics }, inventory, settings: flexnet, output: run });
}
