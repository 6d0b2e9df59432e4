import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openImport } from '../../../src/analyzer/history/staged-import.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createCleanup } from '../../support/harness.ts';
import { importPath } from '../../support/imported.ts';
import { createRandom } from '../../support/random.ts';
import { generateWaitingSite } from '../../support/waiting-site.ts';
import { refereeWaits } from '../../support/waits-referee.ts';

const utc = createLocalTime('UTC');
const cleanup = createCleanup();
afterEach(() => cleanup.run());

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-waits-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The first generated sites whose logs are of FlexNet. */
const sites = Array.from({ length: 12 }, (_, i) => generateWaitingSite(createRandom(i + 1)))
  .filter(({ manager }) => manager === 'flexnet')
  .slice(0, 4);

describe('the people of an imported debug log', () => {
  it.each(sites.map((site, i) => [i, site] as const))('are those of a referee, site %i', async (_, site) => {
    const [{ lines } = { lines: [] }] = site.servers;
    const folder = temporaryFolder();
    const path = join(folder, 'debug.log');
    writeFileSync(path, lines.map(({ text }) => `${text}\n`).join(''));
    const { report } = await importPath(path, { folder: join(folder, 'import'), now: site.to + 86_400 });
    const found = report.staged.flatMap((file) => {
      const open = openImport(file, utc);
      const all = [...open.blocked()];
      open.close();
      return all.flatMap(({ series, day, waits }) =>
        waits.map((wait) => ({ feature: series.feature.toLowerCase(), day, ...wait })),
      );
    });
    const keyOf = (one: { feature: string; day: number; ended: string }) => `${one.feature} ${one.day} ${one.ended}`;
    const truth = refereeWaits(lines).map((one) => ({ ...one, day: utc.dayOf(one.to) }));
    const expected = [...Map.groupBy(truth, keyOf)].map(([key, own]) => [
      key,
      own.length,
      own.reduce((sum, { from, to }) => sum + to - from, 0),
    ]);
    expect(found.map((one) => [keyOf(one), one.episodes, one.seconds]).sort()).toEqual(expected.sort());
    const people = (key: (one: { feature: string; day: number }) => string) =>
      Object.fromEntries(
        [...Map.groupBy(truth, key)].map(([name, own]) => [name, new Set(own.map(({ person }) => person)).size]),
      );
    const byDay = (one: { feature: string; day: number }) => `${one.feature} ${one.day}`;
    expect(
      Object.fromEntries(
        [...Map.groupBy(found, byDay)].map(([name, own]) => [name, own.reduce((sum, one) => sum + one.people, 0)]),
      ),
    ).toEqual(people(byDay));
  });
});
