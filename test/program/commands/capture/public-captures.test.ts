import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLmstatInventory } from '../../../../src/analyzer/sources/flexnet/lmstat-inventory.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { sharedFixtures } from '../../../support/shared-fixtures.ts';
import { captured, lmstatOf, withoutNames } from './captured.ts';
import { leaksIn } from './leaks.ts';

/** Outputs that others have published. They lie beside the project and are not part of it. */

const folder = sharedFixtures('flexnet');
const files = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe.runIf(folder !== undefined)('the capture of a public output', () => {
  it.each(files)('gives the same report of %s, and has no user, host or feature of it', (name) => {
    const text = readFileSync(join(folder ?? '', name), 'utf8');
    const input = name.includes('_i_') ? 'inventory' : 'lmstat';
    const shown = captured(input, text);
    const [before, after] = [lmstatOf(text), lmstatOf(shown)];
    expect(withoutNames(after)).toEqual(withoutNames(before));
    const who = before.features.flatMap(({ pools }) => pools.flatMap(({ checkouts }) => checkouts));
    const supplies = parseLmstatInventory(text, { localTime: createSourceTime('UTC', 'UTC') }).supply;
    const names = [
      ...who.flatMap(({ user, host }) => [user, host]),
      ...before.features.map((feature) => feature.name),
      ...before.members.map(({ host }) => host),
      ...supplies.flatMap(({ feature, daemon }) => [feature, daemon]),
    ];
    expect(leaksIn(shown, names)).toEqual([]);
    expect(parseLmstatInventory(shown, { localTime: createSourceTime('UTC', 'UTC') }).supply).toHaveLength(
      supplies.length,
    );
  });
});
