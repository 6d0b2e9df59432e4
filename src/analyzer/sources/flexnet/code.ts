import type { ManagerCode, TextKind } from '../manager.ts';
import { createSourceTime } from '../times.ts';
import { debugLog as debugLogKind } from './debug-log.ts';
import { formOfLog } from './debug-log-line.ts';
import { parseLicenseFile } from './license-file.ts';
import { parseLmstat } from './lmstat.ts';
import { lmstatArguments } from './lmstat-command.ts';
import { parseLmstatInventory } from './lmstat-inventory.ts';
import type { FlexnetParsed } from './observe.ts';
import type { FlexnetOwn } from './own-settings.ts';
import { type Beside, readFlexnet } from './read.ts';
import { createFlexnetReader } from './reader.ts';
import { replayFlexnet } from './replay.ts';
import { licenseShapes, lmstatShapes, logShapes, optionsShapes, vocabulary } from './words.ts';

const normalized = (text: string): string => text;
const found = (is: boolean) => (is ? { servers: [], at: undefined, isSure: false } : undefined);

const texts: Readonly<Record<string, TextKind<FlexnetOwn>>> = {
  lmstat: {
    title: 'lmutil lmstat -a',
    places: (settings) => (settings.via === undefined ? [] : [{ args: lmstatArguments(settings, '-a') }]),
    recognize: (text, now, timeZone) => {
      const localTime = createSourceTime(timeZone, timeZone);
      const report = parseLmstat(text, { localTime, now, split: 'auto', knownHosts: new Set() });
      const { features, members, daemons, errors, serverLists, referenceTime: at } = report;
      const isSure = features.length + members.length + daemons.length + errors.length + serverLists.length > 0;
      return isSure || at !== undefined ? { servers: serverLists[0] ?? [], at, isSure } : undefined;
    },
    shapes: lmstatShapes,
    normalized,
  },
  inventory: {
    title: 'lmutil lmstat -i',
    places: (settings) => (settings.via?.kind === 'command' ? [{ args: lmstatArguments(settings, '-i') }] : []),
    recognize: (text, _now, timeZone) => {
      const { supply } = parseLmstatInventory(text, { localTime: createSourceTime(timeZone, timeZone) });
      return supply.length === 0 ? undefined : { servers: [], at: undefined, isSure: true };
    },
    shapes: lmstatShapes,
    normalized,
  },
  license: {
    title: 'a license file',
    places: ({ licenseFiles }) => licenseFiles.map((file, at) => ({ of: `file ${at + 1}`, file })),
    recognize: (text, _now, timeZone) =>
      found(parseLicenseFile(text, createSourceTime(timeZone, timeZone)).features.length > 0),
    shapes: licenseShapes,
    normalized,
  },
  options: {
    title: 'an options file',
    places: ({ optionsFiles }) => Object.entries(optionsFiles).map(([daemon, file]) => ({ of: daemon, file })),
    recognize: 'inCaptures',
    shapes: optionsShapes,
    normalized,
  },
  log: {
    title: 'the end of the debug log',
    places: ({ debugLogs }) =>
      debugLogs.map((log, at) => ({ ...(debugLogs.length > 1 && { of: `log ${at + 1}` }), log, kind: debugLogKind })),
    recognize: (text) => found(formOfLog(text) === 'debug'),
    shapes: logShapes,
    normalized,
  },
};

/** What reads FlexNet's outputs, license files, options files and debug logs. */
export const flexnetCode: ManagerCode<FlexnetOwn, Beside, FlexnetParsed> = {
  texts,
  read: readFlexnet,
  createReader: createFlexnetReader,
  replay: replayFlexnet,
  vocabulary,
};
