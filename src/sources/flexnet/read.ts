import type { OnUnread } from '../lines.ts';
import type { ReadInput } from '../manager.ts';
import { textOf } from '../transport/transport.ts';
import { parseLmstat } from './lmstat.ts';
import { type FlexnetInput, type FlexnetParsed, observeFlexnet } from './observe.ts';
import type { FlexnetOwn } from './own-settings.ts';
import { flexnetSettings } from './settings.ts';

/** What is known beside `lmstat -a`. */
export type Beside = Pick<FlexnetInput, 'inventory' | 'fileSupply' | 'options' | 'served' | 'memory'>;

/** What the output of `lmstat -a` says, with what is known beside it. @throws SourceFailure if it says nothing */
export function readFlexnet(
  { settings, via, output, more }: ReadInput<FlexnetOwn, Beside>,
  onUnread?: OnUnread,
): FlexnetParsed {
  const { at, exitCode: code, stderr } = output;
  const flexnet = flexnetSettings(settings);
  const { localTime, users } = flexnet;
  const { knownHosts } = more.memory;
  const report = parseLmstat(textOf(output), { localTime, now: at, split: users.split, knownHosts, onUnread });
  const run = { at, isCommand: via === 'command', exit: { code, stderr } };
  return observeFlexnet({ report, ...more, settings: flexnet, output: run });
}
