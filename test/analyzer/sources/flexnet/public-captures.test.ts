import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLmstatInventory } from '../../../../src/analyzer/sources/flexnet/lmstat-inventory.ts';
import type { LmstatReport, LmstatSupply } from '../../../../src/analyzer/sources/flexnet/lmstat-report.ts';
import type { Split } from '../../../../src/analyzer/sources/flexnet/user-words.ts';
import { sharedFixtures } from '../../../support/shared-fixtures.ts';
import { checkoutsOf, observe, parse, utc } from './samples.ts';

/** The captures of flexlm_exporter, 12 files. Some of their lines were edited, so that they contradict each other. */

const folder = sharedFixtures('flexnet') ?? '';
const texts = new Map<string, string>(
  folder === '' ? [] : readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
);
const textOf = (file: string): string => texts.get(file) ?? '';
const reports = new Map<string, LmstatReport>([...texts].map(([file, text]) => [file, parse(text)]));
const all = [...reports.values()];
const allFeatures = all.flatMap((report) => report.features);
const allPools = allFeatures.flatMap((feature) => feature.pools);
const allListed = allPools.flatMap(({ checkouts }) => checkouts);
const countOf = (kind: LmstatSupply['kind']): number => allFeatures.filter(({ supply }) => supply.kind === kind).length;

describe.runIf(folder !== '')('the public captures', () => {
  it('are understood line by line', () => {
    const inventories = [...texts.values()].map((text) => parseLmstatInventory(text, { localTime: utc }));
    expect({
      files: texts.size,
      checkouts: allListed.filter(({ queued }) => !queued).length,
      queued: allListed.filter(({ queued }) => queued).length,
      reservations: allPools.flatMap(({ reservations }) => reservations).length,
      counted: countOf('counted'),
      uncounted: countOf('uncounted'),
      unsupported: countOf('unsupported'),
      pools: allPools.filter(({ version }) => version !== undefined).length,
      members: all.flatMap(({ members }) => members).length,
      daemons: all.flatMap(({ daemons }) => daemons).length,
      inventoryRows: inventories.reduce((total, { supply }) => total + supply.length, 0),
      unknownTails: allListed.filter(({ unknownTail }) => unknownTail !== undefined).length,
      unparsed: [...all, ...inventories].reduce((total, { diagnostics }) => total + diagnostics.unparsed, 0),
    }).toEqual({
      files: 12,
      checkouts: 529,
      queued: 2,
      reservations: 338,
      counted: 339,
      uncounted: 6,
      unsupported: 2,
      pools: 85,
      members: 17,
      daemons: 9,
      inventoryRows: 26,
      unknownTails: 0,
      unparsed: 0,
    });
  });

  it('lose no feature, also where only checkouts name the daemon', () => {
    for (const [file, report] of reports) {
      const served = report.features.filter(({ supply }) => supply.kind !== 'error' && supply.kind !== 'unsupported');
      if (served.length === 0 || report.members.every(({ up }) => !up)) continue;
      const { vendorLicenses, problems } = observe(textOf(file));
      const names = new Set(vendorLicenses.flatMap(({ pools }) => pools.map(({ feature }) => feature)));
      expect([file, names.size]).toEqual([file, new Set(served.map(({ name }) => name)).size]);
      expect([file, problems.filter(({ isMinor }) => isMinor !== true)]).toEqual([file, []]);
    }
    const { vendorLicenses } = observe(textOf('lmstat_app3.txt'));
    expect(vendorLicenses.find(({ daemon }) => daemon === 'undef')?.pools).toHaveLength(41);
  });

  it('name user, host and display of lines with two and three words', () => {
    // by a pattern of its own: what stands before the version, in two or three words
    const plain = /^\s+(\S+) (\S+)(?: (\S+))? {1,2}?\(v\S+\) \(\S+\/\S+ \d+\), start /;
    const expected = [...texts.values()].flatMap((text) =>
      text.split('\n').flatMap((line) => {
        const [found, user, host, display = ''] = plain.exec(line) ?? [];
        return found === undefined ? [] : [[user, host, display]];
      }),
    );
    const doe = ['John', 'Jane'];
    const found = all
      .flatMap(checkoutsOf)
      .filter(({ queued, user }) => !queued && !doe.some((name) => user.startsWith(name)))
      .map(({ user, host, display }) => [user, host, display]);
    expect(found).toHaveLength(527);
    expect(found).toEqual(expected);
  });

  it('name users with blanks by the setting, or by a host that is known', () => {
    const edited = textOf('lmstat_app1.txt');
    const does = (split: Split, ...hosts: string[]): string[][] =>
      checkoutsOf(parse(edited, { split, knownHosts: new Set(hosts) }))
        .filter(({ user }) => user.startsWith('J'))
        .map(({ user, host }) => [user, host]);
    const right = [
      ['John Doe', 'John_D'],
      ['Jane Doe Jr.', 'jane'],
    ];
    expect(does('longest')).toEqual(right);
    expect(does('auto', 'John_D', 'jane')).toEqual(right);
    // the display of the first begins with a quote; of the second nothing says where the user ends
    expect(does('auto')).toEqual([right[0], ['Jane', 'Doe']]);
  });

  it('count what is in use as the server does', () => {
    const figures = all.flatMap(({ features }) =>
      features.flatMap(({ name, supply, pools: ofFeature }) => {
        if (supply.kind !== 'counted') return [];
        const listed = ofFeature.flatMap(({ checkouts }) => checkouts.filter(({ queued }) => !queued));
        const reserved = ofFeature.flatMap(({ reservations }) => reservations);
        const licenses = (of: readonly { licenses: number }[]): number =>
          of.reduce((total, one) => total + one.licenses, 0);
        return [{ name, more: licenses(listed) - ((supply.inUse ?? 0) - licenses(reserved)) }];
      }),
    );
    expect(figures.filter(({ more }) => more === 0)).toHaveLength(331);
    const contradictions = figures.filter(({ more }) => more > 0);
    const shorter = figures.filter(({ more }) => more < 0);
    expect([contradictions.length, shorter.length]).toEqual([4, 4]);
    const observed = ['lmstat_app1.txt', 'lmstat_app5.txt'].map((file) => observe(textOf(file)));
    expect(observed.map(({ diagnostics }) => diagnostics.contradictions)).toEqual([4, 0]);
    const pools = observed.flatMap(({ vendorLicenses }) => vendorLicenses.flatMap((one) => one.pools));
    const hidden = pools.filter(({ unknownOfCheckouts }) => unknownOfCheckouts?.includes('list'));
    // the fourth is in the text with a server that is down
    expect(hidden.map(({ feature }) => feature)).toEqual(shorter.map(({ name }) => name).slice(0, 3));
  });

  it('have times where the weekday fits a year', () => {
    const times = all.flatMap(checkoutsOf).filter(({ queued }) => !queued);
    const reference = [...reports].filter(([, report]) => report.referenceTime !== undefined);
    expect(reference).toHaveLength(8);
    expect(times.filter(({ since }) => since !== undefined)).toHaveLength(522);
    // all but those are of the reference year; those were pasted into one text from later years
    expect(times.filter(({ since }) => since === undefined)).toHaveLength(7);
    const far = [...reports.values()].flatMap((report) =>
      checkoutsOf(report).filter(
        ({ since = 0 }) => since > 0 && Math.abs(since - (report.referenceTime ?? 0)) > 30 * 86_400,
      ),
    );
    expect(far).toEqual([]);
  });
});
