import { DiagnosticsCount, linesOf } from '../lines.ts';
import type { Captured, CapturedText, Replay } from '../manager.ts';
import type { Parsed } from '../parsed.ts';
import { textOf } from '../transport/transport.ts';
import { readLogLine } from './debug-log-line.ts';
import { grantedBy, parseLicenseFile } from './license-file.ts';
import { parseLmstatInventory } from './lmstat-inventory.ts';
import { noMemory } from './memory.ts';
import { parseOptionsFile } from './options-file.ts';
import type { FlexnetOwn } from './own-settings.ts';
import { readFlexnet } from './read.ts';
import { flexnetSettings } from './settings.ts';
import { observeSupplies, parsedSupplies } from './supplied-licenses.ts';

/** Lines about refused requests. A source counts repeated ones once. */
function deniedLines({ output, onUnread }: CapturedText): number {
  const diagnostics = new DiagnosticsCount(onUnread);
  let denials = 0;
  for (const line of linesOf(output.stdout)) {
    diagnostics.startLine();
    const event = readLogLine(line)?.event;
    if (event === 'unparsed') diagnostics.addUnparsed(line);
    else if (event?.kind === 'denied') denials += 1;
  }
  return denials;
}

function read({ settings, via, now, texts }: Captured<FlexnetOwn>): Parsed | undefined {
  const flexnet = flexnetSettings(settings);
  const { localTime } = flexnet;
  const licenses = texts('license');
  const files = licenses.map(({ output, onUnread }) => parseLicenseFile(output.stdout, localTime, onUnread));
  const fileSupply = grantedBy(files, { now, localTime }).supplies;
  const options = new Map(
    texts('options').map(({ output, of = '', onUnread }) => [of, parseOptionsFile(output.stdout, of, onUnread)]),
  );
  const inventories = texts('inventory');
  const inventory = inventories.flatMap(
    ({ output, onUnread }) => parseLmstatInventory(textOf(output), { localTime, onUnread }).supply,
  );
  const [run] = texts('lmstat');
  if (run !== undefined) {
    const more = {
      ...(licenses.length > 0 && { fileSupply }),
      ...(licenses.length === 0 && inventories.length > 0 && { inventory }),
      options,
      memory: noMemory,
    };
    return readFlexnet({ settings, via, now, output: run.output, more }, run.onUnread);
  }
  const supplies = [...fileSupply, ...inventory];
  return supplies.length === 0 ? undefined : parsedSupplies(observeSupplies(supplies, flexnet, now), [], []);
}

/** The texts of a capture, read as those of a source are. */
export function replayFlexnet(captured: Captured<FlexnetOwn>): Replay {
  const logs = captured.texts('log').map(deniedLines);
  const denied = logs.reduce((sum, count) => sum + count, 0);
  return {
    readings: [() => read(captured)],
    remarks: logs.length === 0 ? [] : [`debug log: ${denied} line${denied === 1 ? '' : 's'} about refused requests`],
  };
}
