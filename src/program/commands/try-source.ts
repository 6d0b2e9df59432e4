import { readFile } from 'node:fs/promises';
import { managerCodes } from '../../analyzer/sources/manager-codes.ts';
import { managerNames } from '../../analyzer/sources/managers.ts';
import type { Parsed } from '../../analyzer/sources/parsed.ts';
import { decodeOutput } from '../../analyzer/sources/transport/decode-output.ts';
import { expiryDay } from '../../base/model/expiry-day.ts';
import { type PoolObservation, vendorLicenseName } from '../../base/model/observation/observation.ts';
import { countText } from '../../base/texts.ts';
import { ConfigError } from '../config/problems.ts';
import { type Capture, inputKinds } from './capture/capture-file.ts';
import { isUnderstood, type Replayed, recognize, replay } from './capture/replay.ts';
import type { CommandContext } from './command.ts';

/** What `try-source` prints. Names and lines are those of the file. */

const known = (value: number | undefined, what: string): string =>
  value === undefined ? `${what} not known` : `${value} ${what}`;

function capacityOf({ increments }: PoolObservation): string {
  const counts = increments.map(({ count }) => count);
  if (counts.includes(Number.POSITIVE_INFINITY)) return 'uncounted';
  const isKnown = counts.every((count) => count !== undefined);
  return isKnown
    ? countText(
        counts.reduce((sum, count) => sum + count, 0),
        'license',
      )
    : 'licenses not known';
}

function expiryOf({ increments }: PoolObservation, timeZone: string): string {
  const dates = increments.map(({ expires }) => {
    if (expires === 'unknown') return 'not known';
    return expiryDay(expires, timeZone) ?? 'permanent';
  });
  return `expires ${[...new Set(dates)].join(', ')}`;
}

function reserveOf({ reservations, unusedReserve, reserved }: PoolObservation): string {
  if (unusedReserve !== undefined) return `${unusedReserve} reserved and not in use`;
  const listed = reservations?.reduce((sum, { licenses }) => sum + licenses, 0);
  return known(reserved ?? listed, 'reserved');
}

function poolLine(pool: PoolObservation, timeZone: string): string {
  const { feature, version, inUse, checkouts, queued, unknownOfCheckouts = [] } = pool;
  const listed = checkouts.reduce((sum, { licenses }) => sum + licenses, 0);
  const isAll = !unknownOfCheckouts.includes('list');
  const figures = [
    capacityOf(pool),
    known(inUse ?? (isAll ? listed : undefined), 'in use'),
    countText(checkouts.length, 'checkout'),
    reserveOf(pool),
    known(queued?.length, 'queued'),
    expiryOf(pool, timeZone),
  ];
  return `    ${version === '' ? feature : `${feature} ${version}`}: ${figures.join(', ')}`;
}

const linesOf = ({ members, vendorLicenses, problems }: Parsed, timeZone: string): readonly string[] => [
  ...members.map(
    ({ server, up, isMaster }) => `  server ${server}: ${up ? 'up' : 'down'}${isMaster ? ', master' : ''}`,
  ),
  ...vendorLicenses.flatMap((one) => [
    `  ${vendorLicenseName(one)}: ${one.reachable ? 'up' : 'down'}, ${countText(one.pools.length, 'feature')}`,
    ...one.pools.map((pool) => poolLine(pool, timeZone)),
  ]),
  ...problems.map(({ kind, message }) => `  problem: ${kind}: ${message}`),
];

/** What the program understood of a capture, as text for the one who made it. */
function understoodText({ header, sections }: Capture, replayed: Replayed): string {
  const { results, failures, unread, remarks } = replayed;
  const inputs = [...new Set(sections.map(({ input }) => inputKinds[input]))];
  const lines = [
    `${header.manager}: ${inputs.join(', ')}`,
    ...results.flatMap((result) => linesOf(result, header.timeZone)),
    ...remarks.map((remark) => `  ${remark}`),
    ...failures.map(({ kind, message }) => `  failure: ${kind}: ${message}`),
    '',
  ];
  if (unread.length === 0) {
    const isWhole = isUnderstood(replayed);
    lines.push(isWhole ? 'Every line is understood.' : 'The text gives no data.');
  } else {
    lines.push(`Not understood: ${countText(unread.length, 'line')}`);
    for (const { line, text, isWhole, input } of unread)
      lines.push(`  line ${line}, ${inputKinds[input]}${isWhole ? '' : ', the end'}: ${text}`);
  }
  return `${lines.join('\n')}\n`;
}

/** What can be tried, by the titles of all managers. */
const titles = managerNames.flatMap((name) =>
  Object.values(managerCodes[name].texts).flatMap(({ title, recognize: how }) => (how === 'inCaptures' ? [] : [title])),
);
const UNKNOWN = `is neither a capture nor a text that a license manager prints or writes: ${titles.join(', ')}`;

async function read(path: string): Promise<Capture | string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code}; check the path`;
  }
  try {
    return recognize(decodeOutput(bytes), Date.now() / 1000) ?? UNKNOWN;
  } catch (error) {
    return `cannot be tried: ${(error as Error).message}`;
  }
}

/** Prints what is understood of a file, and each line that is not. Returns 0 or 1. @throws ConfigError if the file cannot be tried */
export async function trySource({ line, print }: CommandContext): Promise<number> {
  const capture = await read(line.argument);
  if (typeof capture === 'string') {
    throw new ConfigError([{ key: '', where: line.argument, message: `the file ${capture}` }]);
  }
  const replayed = replay(capture);
  print(understoodText(capture, replayed));
  return isUnderstood(replayed) ? 0 : 1;
}
