import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
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
import { LogFollower, type Look } from '../../../../src/analyzer/sources/log/log-follower.ts';

let folder: string;
let path: string;
let now: number;
let followers: LogFollower[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'license-exporter-log-'));
  path = join(folder, 'lmgrd.log');
  now = 1_000_000;
  followers = [];
});
afterEach(async () => {
  await Promise.all(followers.map((follower) => follower.close()));
  rmSync(folder, { recursive: true, force: true });
});

function follow(options: { maxBytes?: number; bytesBefore?: number; encoding?: string } = {}): LogFollower {
  const follower = new LogFollower({ path, kind: debugLog, encoding: undefined, elapsed: () => now, ...options });
  followers.push(follower);
  return follower;
}

/** `next: a b` for each piece. */
const shown = ({ pieces }: Look): string[] => pieces.map(({ place, lines }) => [`${place}:`, ...lines].join(' '));
const looked = async (follower: LogFollower): Promise<string[]> => shown(await follower.look());

describe('a log', () => {
  it('is followed from its end', async () => {
    writeFileSync(path, 'a\nb\n');
    const follower = follow();
    expect(await follower.look()).toMatchObject({
      pieces: [{ place: 'before', lines: ['a', 'b'] }],
      isRecent: false,
      isAtEnd: true,
      problem: undefined,
    });
    expect(await looked(follower)).toEqual([]);
    appendFileSync(path, 'c\nd\n');
    now += 10;
    expect(await follower.look()).toMatchObject({
      pieces: [{ place: 'next', lines: ['c', 'd'] }],
      isRecent: true,
      head: 'a\nb\nc\nd\n',
    });
    appendFileSync(path, 'e\n');
    now += 3601;
    expect(await follower.look()).toMatchObject({ pieces: [{ place: 'next', lines: ['e'] }], isRecent: false });
  });

  it('is read from some bytes before its end', async () => {
    writeFileSync(path, 'aaa\nbbb\nccc\n');
    expect(await looked(follow({ bytesBefore: 6 }))).toEqual(['before: b ccc']);
  });

  it('has lines that are not complete yet', async () => {
    writeFileSync(path, 'a\nbe');
    const follower = follow();
    expect(await looked(follower)).toEqual(['before: a']);
    appendFileSync(path, 'gin');
    expect(await looked(follower)).toEqual([]);
    appendFileSync(path, ' end\r\nc');
    expect(await looked(follower)).toEqual(['next: begin end']);
  });

  it('is read in several looks if it grows fast', async () => {
    writeFileSync(path, '');
    const follower = follow({ maxBytes: 4 });
    await follower.look();
    appendFileSync(path, 'abc\ndef\ng\n');
    const looks = [await follower.look(), await follower.look(), await follower.look()];
    expect(looks.map((look) => [shown(look)[0], look.isAtEnd])).toEqual([
      ['next: abc', false],
      ['next: def', false],
      ['next: g', true],
    ]);
  });

  it('is read to its end after it was renamed, and the new one from its start', async () => {
    writeFileSync(path, 'a\n');
    const follower = follow();
    await follower.look();
    appendFileSync(path, 'b\n');
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'c\n');
    writeFileSync(path, 'd\n');
    expect(await looked(follower)).toEqual(['next: b c', 'new: d']);
    // the license server goes on writing to the old one until it is restarted
    appendFileSync(`${path}.1`, 'e\n');
    appendFileSync(path, 'f\n');
    expect(await looked(follower)).toEqual(['next: e', 'next: f']);
    rmSync(`${path}.1`);
    for (let minute = 0; minute < 12; minute += 1) {
      now += 60;
      expect(await follower.look()).toMatchObject({ pieces: [], problem: undefined });
    }
  });

  it('is read from its start if the old one was empty', async () => {
    writeFileSync(path, '');
    const follower = follow();
    await follower.look();
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'a\n');
    expect(await looked(follower)).toEqual(['new: a']);
  });

  it('has a last line without an end when its old file is closed', async () => {
    writeFileSync(path, 'a\n');
    const follower = follow();
    await follower.look();
    appendFileSync(path, 'last');
    renameSync(path, `${path}.1`);
    writeFileSync(path, '');
    expect(await looked(follower)).toEqual(['new:']);
    now += 601;
    expect(await looked(follower)).toEqual(['next: last']);
  });

  it('may be missing for a minute while it is rotated', async () => {
    writeFileSync(path, 'a\n');
    const follower = follow();
    await follower.look();
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'b\n');
    now += 60;
    expect(await follower.look()).toMatchObject({ pieces: [{ lines: ['b'] }], problem: undefined });
    appendFileSync(`${path}.1`, 'c\n');
    now += 1;
    expect(await follower.look()).toMatchObject({ pieces: [{ lines: ['c'] }], problem: { kind: 'missing_tool' } });
    writeFileSync(path, 'd\n');
    expect(await follower.look()).toMatchObject({ pieces: [{ place: 'new', lines: ['d'] }], problem: undefined });
  });

  it('is read from its start after it was truncated', async () => {
    writeFileSync(path, 'a\nb\npart');
    const follower = follow();
    await follower.look();
    truncateSync(path);
    appendFileSync(path, 'c\n');
    expect(await looked(follower)).toEqual(['new: c']);
    // also if it has grown beyond its old size since
    truncateSync(path);
    appendFileSync(path, 'd\ne\nf\n');
    expect(await looked(follower)).toEqual(['new: d e f']);
  });

  it('is read on after it was truncated, if its writer goes on where it was', async () => {
    writeFileSync(path, 'a\nb\n');
    const follower = follow();
    await follower.look();
    truncateSync(path);
    truncateSync(path, 4);
    appendFileSync(path, 'c\n');
    expect(await looked(follower)).toEqual(['next: c']);
  });

  it('is read on in a copy', async () => {
    const old = `${'a line\n'.repeat(20)}b\n`;
    writeFileSync(path, `${old}ha`);
    const follower = follow();
    await follower.look();
    cpSync(path, `${path}.copy`);
    renameSync(path, `${path}.old`);
    renameSync(`${path}.copy`, path);
    appendFileSync(path, 'lf\nc\n');
    appendFileSync(`${path}.old`, 'ng\nd\n');
    expect(await looked(follower)).toEqual(['next: hang d', 'next: half c']);
    // another file of that size is read from its start
    renameSync(path, `${path}.older`);
    writeFileSync(path, `${old.replace('a', 'A')}half\nc\n`);
    const [piece] = (await follower.look()).pieces;
    expect([piece?.place, piece?.lines.length]).toEqual(['new', 23]);
  });

  it('is decoded', async () => {
    writeFileSync(path, '');
    const follower = follow({ encoding: 'utf-16le' });
    await follower.look();
    appendFileSync(path, Buffer.from('Müller\n', 'utf16le'));
    expect(await looked(follower)).toEqual(['next: Müller']);
  });
});

describe('a log that cannot be read', () => {
  it('does not exist', async () => {
    const follower = follow();
    const { problem, pieces } = await follower.look();
    expect(problem).toMatchObject({
      kind: 'missing_tool',
      message: expect.stringContaining(`${path} does not exist; set the path`),
    });
    expect(pieces).toEqual([]);
    // it is followed from its end like any other
    writeFileSync(path, 'a\n');
    expect(await follower.look()).toMatchObject({ problem: undefined, pieces: [{ place: 'before', lines: ['a'] }] });
  });

  it('is a folder, or lies in a file', async () => {
    mkdirSync(path);
    expect((await follow().look()).problem).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('is not a regular file'),
    });
    rmSync(path, { recursive: true });
    writeFileSync(path, '');
    const inside = new LogFollower({
      path: join(path, 'log'),
      kind: debugLog,
      encoding: undefined,
      elapsed: () => now,
    });
    expect((await inside.look()).problem).toMatchObject({ kind: 'missing_tool' });
  });

  it('may not be read', async () => {
    writeFileSync(path, 'a\n');
    chmodSync(path, 0);
    chmodSync(folder, 0o755);
    const isRoot = process.geteuid?.() === 0;
    // root may read any file
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect((await follow().look()).problem).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('chmod a+r'),
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

describe('lines that are written', () => {
  /** `next` is the next line; the others change the file. */
  const step = fc.constantFrom(
    'next',
    'next',
    'next',
    'part',
    'look',
    'look',
    'rename',
    'truncate',
    'copy and truncate',
  );

  it('are read once, through rotation and truncation at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 200 }), async (steps, maxBytes) => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        writeFileSync(path, '');
        const follower = new LogFollower({ path, kind: debugLog, encoding: undefined, elapsed: () => now, maxBytes });
        const read: string[] = [];
        /** Lines of the file that were not looked at, all of which a truncation or a second rotation loses. */
        let unseen: string[] = [];
        const lost: string[] = [];
        let written = 0;
        let rotations = 0;
        let open = '';
        const look = async (): Promise<void> => {
          for (let isAtEnd = false; !isAtEnd; ) {
            const seen = await follower.look();
            ({ isAtEnd } = seen);
            expect(seen.problem).toBeUndefined();
            for (const { lines } of seen.pieces) read.push(...lines);
          }
          unseen = [];
          rotations = 0;
        };
        await look();
        for (const one of steps) {
          const line = `line ${written} ${'.'.repeat(written % 50)}`;
          if (one === 'look') await look();
          else if (one === 'part') {
            if (open === '') {
              open = line;
              written += 1;
              appendFileSync(path, line.slice(0, 5));
            }
          } else if (one === 'next') {
            const whole = open === '' ? line : open;
            appendFileSync(path, open === '' ? `${line}\n` : `${open.slice(5)}\n`);
            if (open === '') written += 1;
            open = '';
            unseen.push(whole);
          } else if (open === '') {
            // a second file between two looks is not seen, and what was not read before a truncation is gone
            if (one === 'rename') {
              rotations += 1;
              if (rotations > 1) lost.push(...unseen);
              renameSync(path, `${path}.${written}.${rotations}.${read.length}`);
              writeFileSync(path, '');
            } else {
              lost.push(...unseen);
              if (one === 'copy and truncate') cpSync(path, `${path}.copy`);
              truncateSync(path);
            }
          }
        }
        if (open !== '') appendFileSync(path, `${open.slice(5)}\n`);
        await look();
        await follower.close();
        expect(new Set(read).size).toBe(read.length);
        const all = Array.from({ length: written }, (_, at) => `line ${at} ${'.'.repeat(at % 50)}`);
        expect(all.filter((line) => !read.includes(line) && !lost.includes(line))).toEqual([]);
        expect(read.filter((line) => !all.includes(line))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
