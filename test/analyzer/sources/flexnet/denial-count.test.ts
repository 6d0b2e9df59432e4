import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { debugLog } from '../../../../src/analyzer/sources/flexnet/debug-log-denials.ts';
import { DenialCount, type TakenDenials } from '../../../../src/analyzer/sources/log/denials.ts';

const start = Date.parse('2026-11-18T09:00:00Z') / 1000;

let folder: string;
let path: string;
let now: number;
let counts: DenialCount[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'license-exporter-denials-'));
  path = join(folder, 'lmgrd.log');
  now = start;
  counts = [];
});
afterEach(async () => {
  await Promise.all(counts.map((count) => count.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function begin(options: { intervalMs?: number; maxBytes?: number } = {}): DenialCount {
  const count = new DenialCount(
    debugLog,
    { path, timeZone: 'UTC', encoding: undefined },
    // looks only when denials are taken, however slow the disk is
    { now: () => now, elapsed: () => now, intervalMs: 1_000_000, timeoutMs: 1_000_000, ...options },
  );
  counts.push(count);
  return count;
}

const clock = (): string => new Date(now * 1000).toISOString().slice(11, 19);
const header = (): string => `${clock()} (vend) TIMESTAMP 11/18/2026\n`;
const denied = (user: string, feature = 'cad', daemon = 'vend'): string =>
  `${clock()} (${daemon}) DENIED: "${feature}" ${user}@h  (Licensed number of users already reached. (-4,342))\n`;

/** Denials of a daemon, certain ones only. */
const shown = (taken: TakenDenials, daemon = 'vend'): Record<string, number> | undefined => {
  const known = taken.of(daemon);
  return known && Object.fromEntries(known.map(({ feature, count }) => [feature, count]));
};
async function confirmed(count: DenialCount): Promise<Record<string, number> | undefined> {
  // refusals are certain some seconds after they were read
  await count.take();
  now += 10;
  const taken = await count.take();
  taken.confirm();
  return shown(taken);
}

describe('denials', () => {
  it('are those since the collection before, and not known at the first one', async () => {
    writeFileSync(path, header() + denied('before'));
    const count = begin();
    await count.take();
    appendFileSync(path, denied('a'));
    expect(await confirmed(count)).toBeUndefined();
    // what was refused since the log is followed is in the first collection that can know it
    appendFileSync(path, denied('b') + denied('b', 'mesh'));
    expect(await confirmed(count)).toEqual({ cad: 2, mesh: 1 });
    expect(await confirmed(count)).toEqual({});
    appendFileSync(path, denied('c', 'mesh'));
    expect(await confirmed(count)).toEqual({ mesh: 1 });
    expect(count.problem()).toBeUndefined();
  });

  it('are taken again after a collection that failed', async () => {
    writeFileSync(path, header());
    const count = begin();
    await confirmed(count);
    appendFileSync(path, denied('a'));
    await count.take();
    now += 10;
    const failed = await count.take();
    expect(shown(failed)).toEqual({ cad: 1 });
    appendFileSync(path, denied('b'));
    await count.take();
    now += 10;
    const taken = await count.take();
    expect(shown(taken)).toEqual({ cad: 2 });
    // too late: a later collection has the same denials
    failed.confirm();
    expect(shown(taken)).toEqual({ cad: 2 });
    taken.confirm();
    appendFileSync(path, denied('c'));
    await count.take();
    now += 10;
    taken.confirm();
    expect(await confirmed(count)).toEqual({ cad: 1 });
  });

  it('are not known of a daemon that has written nothing', async () => {
    writeFileSync(path, header());
    const count = begin();
    await confirmed(count);
    appendFileSync(path, denied('a', 'cad', 'other') + denied('b', 'cad', 'vend_2') + denied('c'));
    await count.take();
    now += 10;
    const taken = await count.take();
    const known = ['vend', 'other', 'lmgrd', 'ven', 'vend_2'].map((daemon) => shown(taken, daemon));
    expect(known).toEqual([{ cad: 2 }, { cad: 1 }, undefined, undefined, { cad: 1 }]);
  });

  it('are not known while the log cannot be read, and counted when it can be read again', async () => {
    writeFileSync(path, header());
    const count = begin();
    await confirmed(count);
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, denied('a'));
    now += 100;
    expect(await confirmed(count)).toBeUndefined();
    expect(count.problem()).toMatchObject({ kind: 'missing_tool' });
    writeFileSync(path, denied('b'));
    expect(await confirmed(count)).toEqual({ cad: 2 });
    expect(count.problem()).toBeUndefined();
  });

  it('are not known of a log that appears later, until it was followed for a collection', async () => {
    const count = begin();
    expect(await confirmed(count)).toBeUndefined();
    writeFileSync(path, header() + denied('a'));
    expect(await confirmed(count)).toBeUndefined();
    appendFileSync(path, denied('b'));
    expect(await confirmed(count)).toEqual({ cad: 1 });
  });

  it('are read in several looks if the log grows fast', async () => {
    writeFileSync(path, header());
    const count = begin({ maxBytes: 400 });
    await confirmed(count);
    appendFileSync(path, Array.from({ length: 40 }, (_, at) => denied(`u${at}`)).join(''));
    expect(await confirmed(count)).toEqual({ cad: 40 });
    // more than one collection reads
    appendFileSync(path, Array.from({ length: 100 }, (_, at) => denied(`v${at}`)).join(''));
    const taken = await count.take();
    taken.confirm();
    expect(shown(taken)).toBeUndefined();
    expect(await confirmed(count)).toEqual({ cad: 100 });
  });

  it('are looked for between collections', async () => {
    writeFileSync(path, header());
    const count = begin({ intervalMs: 5 });
    await confirmed(count);
    for (const [at, user] of ['a', 'b', 'c'].entries()) {
      // a refusal without a feature shows that a look has seen the file
      appendFileSync(path, `${denied(user)}${clock()} (vend) DENIED: \n`);
      await expect.poll(() => count.diagnostics.unparsed).toBe(at + 1);
      renameSync(path, `${path}.${at}`);
      writeFileSync(path, '');
    }
    expect(await confirmed(count)).toEqual({ cad: 3 });
  });

  it('are those of lines in another encoding', async () => {
    writeFileSync(path, header());
    const count = begin();
    await confirmed(count);
    appendFileSync(path, Buffer.from(denied('Jürgen'), 'latin1'));
    expect(await confirmed(count)).toEqual({ cad: 1 });
  });

  it.each([
    [
      'the REPORT log',
      Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256)),
      'REPORT log (REPORTLOG in the options file) is encrypted',
    ],
    ['another text', Buffer.from('Dear customer,\n'.repeat(60)), 'is not a debug log of FlexNet'],
  ])('are not known if the file is %s', async (_, content, reason) => {
    writeFileSync(path, content);
    const count = begin();
    await confirmed(count);
    expect(await confirmed(count)).toBeUndefined();
    expect(count.problem()).toMatchObject({ kind: 'unparsed', message: expect.stringContaining(reason) });
    expect(count.problem()?.message).toContain(path);
    // the right log is there now
    rmSync(path);
    writeFileSync(path, header());
    await confirmed(count);
    expect(count.problem()).toBeUndefined();
    appendFileSync(path, denied('a'));
    expect(await confirmed(count)).toEqual({ cad: 1 });
  });

  it('show no user and no host', async () => {
    writeFileSync(path, header());
    const count = begin();
    await confirmed(count);
    appendFileSync(path, `${denied('secret')}${clock()} (vend) DENIED: \n`);
    await count.take();
    now += 10;
    const taken = await count.take();
    expect(JSON.stringify([taken, shown(taken), count, count.diagnostics, count.problem()])).not.toContain('secret');
    expect(shown(taken)).toEqual({ cad: 1 });
  });

  it('need a zone and an encoding that exist', () => {
    const settings = { path, timeZone: 'UTC', encoding: undefined };
    expect(
      () =>
        new DenialCount(debugLog, { ...settings, timeZone: 'Nowhere/Here' }, { now: () => now, elapsed: () => now }),
    ).toThrow(RangeError);
    expect(
      () => new DenialCount(debugLog, { ...settings, encoding: 'no such' }, { now: () => now, elapsed: () => now }),
    ).toThrow(RangeError);
  });
});

describe('every denial', () => {
  const step = fc.constantFrom(
    'denied',
    'denied',
    'denied',
    'granted',
    'take',
    'confirm',
    'confirm',
    'rotate',
    'truncate',
    'copy',
  );
  it('is counted once, through rotation, truncation and failed collections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        now = start;
        writeFileSync(path, header());
        const count = begin();
        let [written, confirmedCount] = [0, 0];
        const take = async (): Promise<TakenDenials> => {
          const taken = await count.take();
          now += 7;
          return taken;
        };
        (await take()).confirm();
        for (const [at, one] of steps.entries()) {
          now += at % 3;
          if (one === 'denied') {
            written += 1;
            appendFileSync(path, denied(`u${at}`));
          } else if (one === 'granted') {
            appendFileSync(path, denied(`u${at}`) + denied(`u${at}`).replace('DENIED', 'OUT'));
          } else if (one === 'take' || one === 'confirm') {
            const taken = await take();
            if (one === 'take') continue;
            confirmedCount += shown(taken)?.['cad'] ?? 0;
            taken.confirm();
          } else {
            // a file that changes twice between two looks loses lines; a collection that fails looks, too
            await take();
            if (one === 'copy') {
              // an editor writes a copy with old lines
              writeFileSync(`${path}.copy`, `edited\n${readFileSync(path, 'utf8')}`);
              renameSync(`${path}.copy`, path);
            } else if (one === 'rotate') {
              renameSync(path, `${path}.${at}`);
              appendFileSync(`${path}.${at}`, denied(`old${at}`));
              written += 1;
              writeFileSync(path, '');
            } else truncateSync(path);
          }
        }
        await take();
        const last = await take();
        expect(confirmedCount + (shown(last)?.['cad'] ?? 0)).toBe(written);
        await count.stop();
      }),
      { numRuns: 150 },
    );
  });
});
