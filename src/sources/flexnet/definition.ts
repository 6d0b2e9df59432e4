import { defineManager, type ManagerDefinition, type TextKind } from '../manager.ts';
import { createSourceTime } from '../times.ts';
import { formOfLog } from './debug-log-line.ts';
import { parseLicenseFile } from './license-file.ts';
import { parseLmstat } from './lmstat.ts';
import { lmstatArguments } from './lmstat-command.ts';
import { parseLmstatInventory } from './lmstat-inventory.ts';
import { type FlexnetOwn, ownSettings } from './own-settings.ts';
import { readFlexnet } from './read.ts';
import { createFlexnetReader } from './reader.ts';
import { replayFlexnet } from './replay.ts';
import { licenseShapes, lmstatShapes, logShapes, optionsShapes, vocabulary } from './words.ts';

function serversProblem({ length }: readonly string[]): { message: string; isOfList: boolean } | undefined {
  if (length === 0) return { message: 'servers is required, for example "servers: [27000@host]"', isOfList: false };
  if (length === 2) {
    const message = 'a redundant group has three servers; make independent servers independent sources';
    return { message, isOfList: true };
  }
  return length > 3 ? { message: 'a redundant group has three servers', isOfList: true } : undefined;
}

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
    recognize: (text, now, timeZone) =>
      found(parseLicenseFile(text, { now, localTime: createSourceTime(timeZone, timeZone) }).supplies.length > 0),
    shapes: licenseShapes,
    normalized,
  },
  options: {
    title: 'an options file',
    places: ({ optionsFiles }) => Object.entries(optionsFiles).map(([daemon, file]) => ({ of: daemon, file })),
    // its lines could be those of many programs
    recognize: () => undefined,
    shapes: optionsShapes,
    normalized,
  },
  log: {
    title: 'the end of the debug log',
    places: ({ debugLog }) => (debugLog === undefined ? [] : [{ log: debugLog }]),
    recognize: (text) => found(formOfLog(text) === 'debug'),
    shapes: logShapes,
    normalized,
  },
};

/** FlexNet Publisher, formerly FLEXlm. */
export const flexnet: ManagerDefinition = defineManager({
  how: '`lmutil lmstat -a`, `lmstat -i`, license files, options files, debug logs',
  alsoCalled: /^(?:flex|lm(?:grd|util|stat|admin|tools)$)/,
  answers: {
    usage: 'yes',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'yes',
    usedReserve: 'with `options_files`',
    queue: 'from the first one that was ever listed',
    borrowed: 'by their linger time',
    denials: 'with `debug_log`',
    versions: 'with `license_files`, or from `lmstat -i`; else all versions are one',
    expiry: 'from license files, `lmstat -i`, or the lists of users',
    tokens: 'none',
    applications: 'none',
  },
  settings: ownSettings,
  needsVia: ({ licenseFiles }) => licenseFiles === undefined,
  serversProblem,
  namesDaemons: ({ daemons, licenseFiles }) => daemons.length + licenseFiles.length > 0,
  texts,
  read: readFlexnet,
  createReader: createFlexnetReader,
  replay: replayFlexnet,
  vocabulary,
});
