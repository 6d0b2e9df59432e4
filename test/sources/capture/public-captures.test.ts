import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedFixtures } from '../../support/shared-fixtures.ts';
import { captured, lmstatOf, withoutNames } from './captured.ts';
import { leaksIn } from './leaks.ts';

/** Outputs that others have published. They lie beside the project and are not part of it. */

const folder = sharedFixtures('flexnet');
const files = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe.runIf(folder !== undefined)('the capture of a public output', () => {
  it.each(files)('gives the same report of %s, and has no user of it', (name) => {
    const text = readFileSync(join(folder ?? '', name), 'utf8');
    const shown = captured('lmstat', text);
    const [before, after] = [lmstatOf(text), lmstatOf(shown)];
    expect(withoutNames(after)).toEqual(withoutNames(before));
    const users = before.features.flatMap(({ pools }) => pools.flatMap(({ checkouts }) => checkouts));
    const names = users.flatMap(({ user, host }) => [user, host]);
    expect(leaksIn(shown, names)).toEqual([]);
  });
});
