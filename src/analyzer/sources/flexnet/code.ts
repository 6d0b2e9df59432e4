import { countText } from '../../../base/texts.ts';
import { DiagnosticsCount, linesOf } from '../lines.ts';
import type { Captured, CapturedText, ManagerCode, Replay, TextKind, Vocabulary } from '../manager.ts';
import type { Parsed } from '../parsed.ts';
import { createSourceTime } from '../times.ts';
import { textOf } from '../transport/transport.ts';
import { debugLog as debugLogKind } from './debug-log-denials.ts';
import { formOfLog, readLogLine } from './debug-log-line.ts';
import { checkFlexnetFiles, lmstatArguments } from './flexnet-files.ts';
import { grantedBy, parseLicenseFile } from './license-file.ts';
import { parseLmstat } from './lmstat.ts';
import { parseLmstatInventory } from './lmstat-inventory.ts';
import type { FlexnetParsed } from './observe.ts';
import { noMemory } from './observe.ts';
import { parseOptionsFile } from './options-file.ts';
import type { FlexnetOwn } from './own-settings.ts';
import { flexnetSettings } from './own-settings.ts';
import { type Beside, createFlexnetReader, readFlexnet } from './reader.ts';
import { observeSupplies, parsedSupplies } from './supplied-licenses.ts';

/** The manager `flexnet`: how its tools are asked, what is read, and the words of its tools and files, which name nobody. */

const atStart = (words: string): string => String.raw`(?<=^[ \t]{0,40})(?:${words})`;

const DATE = String.raw`(?:permanent|\d{1,2}-[a-z]{3}-\d)`;
const HOLDERS = 'USER|HOST|DISPLAY|INTERNET|PROJECT|GROUP|HOST_GROUP';

const lmstatShapes: readonly string[] = [
  String.raw`status on (?:[a-z]{3} )?\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d{2}(?::\d{2})?`,
  atStart(
    String.raw`License server status:|License files?(?:\(s\))? on |Vendor daemon status|Feature usage info|Users of |NOTE: `,
  ),
  atStart('features served by|vendor_string:|(?:lmutil|lmstat)(?= - |:)|but only reads the license file|lmstat -a is'),
  atStart('(?:Feature|Filename|License path|Server name|Hostname|Vendor:Host)(?=:)|For further information(?=[:,])'),
  atStart('The license files|listed below|or contact your software|available at'),
  '(?<=^Users of )features served by',
  String.raw`copyright \(c\)`,
  String.raw`(?<=: {1,3})(?:license server (?:UP|DOWN)|The desired vendor daemon|vendor daemon|cannot|license server)\b`,
  String.raw`(?<=: {1,3})(?:UP|DOWN)(?=\s|$)`,
  String.raw`\(MASTER\)|: Cannot get users of |\bnot running\b`,
  String.raw`\(Total of \d{1,15} licen[cs]es? (?:issued|available)(?:; *Total of \d{1,15} licen[cs]es? in use)?\)`,
  String.raw`\(Uncounted(?:, node-locked)?|\(Error: \d{1,15} licenses?, unsupported`,
  atStart('(?:(?:uncounted )?(?:floating|node-?locked)|uncounted) licen[cs]e'),
  atStart(String.raw`\d{1,9} RESERVATIONs? for (?:${HOLDERS}) `),
  String.raw`, (?:vendor|expiry):|(?<=\(|" )v(?=[^\s()",]*\d)`,
  String.raw`\) queued for \d{1,9} licenses?(?=\s|$)|(?<=, )\d{1,9} licenses?(?=[,\s]|$)|(?<=\), )start(?= )|(?<=, )PID:`,
  String.raw`\(linger: ?\d{1,15}(?: ?\/ ?\d{1,15})?\)|\/dev\/(?:tty|pts\/|console|null)\d{0,3}|(?<=\s)JavaDisplay(?=\s)`,
  atStart(
    'lmgrd is not running|Error getting status|Cannot connect to license server|FLEX(?:net|lm)[a-z ]{0,20}error:',
  ),
  // the table of lmstat -i
  atStart(String.raw`Feature\s{1,40}Version(?:\s{1,40}(?:#licenses|Vendor|Expires))+`),
  String.raw`(?<=\s)(?:\d{1,15}|uncounted)(?=\s{1,40}(?:\S{1,100}\s{1,40})?${DATE})`,
  String.raw`(?=permanent)(?<=expiry: |\s(?:\d{1,15}|uncounted)\s{1,40}(?:\S{1,100}\s{1,40})?)permanent(?:\(no expiration date\))?`,
];

const licenseShapes: readonly string[] = [
  atStart(String.raw`(?:FEATURE|INCREMENT|UPGRADE|PACKAGE|SERVER|VENDOR|DAEMON|USE_SERVER|FEATURESET)(?=\s|$)`),
  String.raw`(?<=(?:permanent(?:\(no expiration date\))?|\d-[a-z]{3}-\d{1,4})[ \t\\]{1,40})(?:\d{1,15}|uncounted)(?!\S)`,
  String.raw`(?<=\s)(?:HOSTID=(?:"?(?:ANY|DEMO)"?(?!\S))?|(?:START|ISSUED|COMPONENTS|SUPERSEDE)=|SUPERSEDE(?!\S))`,
  String.raw`(?<=\s)(?:SORT|BORROW|LINGER|OVERDRAFT)=(?:\d{1,9}(?!\S))?|(?<=\s)BORROW(?!\S)|(?<=\s)OPTIONS="?SUITE(?:_RESERVED)?"?(?!\S)`,
  String.raw`(?<=:[\d.]{0,20}:)\d{1,9}|(?<=\s)(?:this_host|TCP:\d{1,5})(?=\s|$)`,
];

const optionsShapes: readonly string[] = [
  String.raw`(?<=^[ \t]{0,40}(?:RESERVE|MAX)[ \t]{1,40})\d{1,9}(?=\s)`,
  atStart(
    String.raw`(?:RESERVE|LINGER|MAX\w{0,20}|GROUP\w{0,20}|HOST_GROUP|(?:IN|EX)CLUDE\w{0,20}|TIMEOUT(?:ALL)?)(?=\s|$)`,
  ),
  atStart(
    String.raw`(?:NOLOG|REPORTLOG|DEBUGLOG|BORROW_LOWWATER|FQDN_MATCHING|AUTOMATIC_REREAD|ACTIVATION_\w{1,20}|DAEMON_\w{1,20})(?=\s|$)`,
  ),
  String.raw`(?<=[ \t])(?:${HOLDERS})(?=[ \t])`,
  '(?:VERSION|HOSTID|EXPDATE|KEY|SIGN|ISSUER|NOTICE|VENDOR_STRING|DIST_INFO|USER_INFO|ASSET_INFO)=',
];

const logShapes: readonly string[] = [
  String.raw`(?<=\) )(?:OUT|IN|DENIED|UNSUPPORTED|QUEUED|DEQUEUED|EXITING|TIMESTAMP)(?=:|\s)`,
  String.raw`(?<=\) {1,2})\(Licensed number of users already reached\.|(?<=\) )(?:Start-Date|Time|Reread time):|\bstarted on\b`,
];

/** The words that may stay. */
export const vocabulary: Vocabulary = {
  words: `
    a administrator all an and any are as at attempt available be been but by can cannot could do does error errors failed for
    from getting give has have if in information invalid is it its license licenses licensed listed lists message messages more
    must no not nothing of on only or other out over path please reached read reading reads reason recommended refer refused
    request requests reserved rights see set setting should some than that the there this time timed to try type unable unknown
    up use used user users valid version was were when with you your
    company copyright corp corporation flexera flexlm flexnet globetrotter inc limited llc ltd macrovision publisher software
    address allowed application bad borrow borrowed busy call check checkout checked checking clock close closed code codes
    command communication communications conflict connect connected connecting connection connections contact count counted
    data date dates days demo denied desired detecting directory down due encryption environment exceeded exist exists expanded
    expiration expire expired expires expiry feature features flexible file filename files find floating following format found further
    group groups handshake heartbeat host hostid hostname hours increment internet interrupted issued job key later lic linger
    listening lmadmin lmgrd lmhostid lmstat lmutil locked log lost machine manager master maximum minutes missing network node
    node-locked nodelocked now number numbers obtain old open operation options package password permanent permission pid pool
    port ports process progress protocol queue queued quorum redundant reread reservation reservations reset respond responding
    response restart restarted running seconds served server servers service shared shutdown since socket start started
    starting startup state status stop stopped such supplied support supported system table temporarily terminated instead usage
    timeout too total uncounted uninitialized unsupported vendor daemon daemons vendor_string waiting warning windows wrong
    reserve include exclude includeall excludeall max nolog reportlog debuglog upgrade use_server components suite issuer notice
    sign sn vendor_info dist_info user_info asset_info superseded timestamp logfile rotated rotating exiting exited checkin
    expiring licensing already greater shutting true false this_host any`,
  names: [
    /RESERVATIONs? for [A-Z_]{1,20} (.{1,400}) \(/i,
    /^\s*(?:HOST_)?GROUP\s+(.*)/i,
    new RegExp(String.raw`^\s*(?:RESERVE|MAX|(?:IN|EX)CLUDE).*\s(?:${HOLDERS})\s+(.+)$`, 'i'),
    /\) [A-Z_]{1,20}: "[^"]{1,200}" (.{1,400}@\S+)/,
    /^\s*SERVER\s+(\S+)/i,
  ],
};

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
function replayFlexnet(captured: Captured<FlexnetOwn>): Replay {
  const logs = captured.texts('log').map(deniedLines);
  const denied = logs.reduce((sum, count) => sum + count, 0);
  return {
    readings: [() => read(captured)],
    remarks: logs.length === 0 ? [] : [`debug log: ${countText(denied, 'line')} about refused requests`],
  };
}

const normalized = (text: string): string => text;
const found = (is: boolean) => (is ? { servers: [], at: undefined, isSure: false } : undefined);

const kinds: Readonly<Record<string, TextKind<FlexnetOwn>>> = {
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
  texts: kinds,
  read: readFlexnet,
  createReader: createFlexnetReader,
  replay: replayFlexnet,
  checkFiles: checkFlexnetFiles,
  vocabulary,
};
