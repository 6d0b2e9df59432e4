import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { type Manager, managerNames } from '../../../../src/analyzer/sources/managers.ts';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { readCapture } from '../../../../src/program/commands/capture/capture-file.ts';
import { type Replayed, replay } from '../../../../src/program/commands/capture/replay.ts';
import { renderTexts } from '../../../support/license-site/render-texts.ts';
import type { Site, SiteCheckout } from '../../../support/license-site/site.ts';
import { capture, headerOf, sectionOf } from './captured.ts';

/** Names that are made to stay in a capture, or to break it. */

const NOW = 1_800_000_000;

interface Names {
  readonly user: string;
  readonly host: string;
  readonly feature: string;
  readonly daemon: string;
  readonly server: string;
}

function siteOf({ user, host, feature, daemon, server }: Names): Site {
  const checkout = (at: number): SiteCheckout => ({
    user: at === 1 ? 'somebodyelse' : user,
    host,
    display: `${host}:0`,
    since: NOW - 3600 * at,
    licenses: at,
    handle: String(100 + at),
  });
  const pool = {
    version: '2026.1',
    count: 345,
    expires: { year: 2030, month: 1, date: 28 },
    reservations: [],
    checkouts: [checkout(1), checkout(2), checkout(3)],
    queued: [],
  } as const;
  return {
    servers: [{ host: server, port: 27_000, isUp: true, isMaster: true }],
    now: NOW,
    daemons: [
      {
        name: daemon,
        isUp: true,
        features: [
          { name: feature, pools: [pool] },
          { name: 'anotherone', pools: [{ ...pool, count: 7, checkouts: [] }] },
        ],
      },
    ],
  };
}

const poolsOf = ({ results }: Replayed): readonly PoolObservation[] =>
  results.flatMap(({ vendorLicenses }) => vendorLicenses.flatMap(({ pools }) => pools));

/** What must be the same before and after. */
const figuresOf = (replayed: Replayed): unknown => ({
  unread: replayed.unread.length,
  failures: replayed.failures.map(({ kind }) => kind),
  daemons: replayed.results.flatMap(({ vendorLicenses }) => vendorLicenses.map(({ reachable }) => reachable)),
  pools: poolsOf(replayed).map(({ inUse, increments, checkouts, queued, featureType, licenseType }) => ({
    ...{ inUse, increments, featureType, licenseType, queued: queued?.length },
    users: new Set(checkouts.map(({ user }) => user.toLowerCase())).size,
    checkouts: checkouts.map(({ licenses, since, borrowed }) => ({ licenses, since, borrowed })),
  })),
});

const namesIn = (replayed: Replayed): ReadonlySet<string> =>
  new Set(
    replayed.results
      .flatMap(({ vendorLicenses, members }) => [...vendorLicenses, ...members])
      .map(({ server }) => server)
      .concat(
        replayed.results.flatMap(({ vendorLicenses }) => vendorLicenses.map(({ daemon }) => daemon)),
        poolsOf(replayed).flatMap(({ feature, checkouts }) => [
          feature,
          ...checkouts.flatMap(({ user, host }) => [user, host]),
        ]),
      )
      .filter((name) => /[\p{L}\p{N}]/u.test(name)),
  );

/** Captures a site. @returns its names that are the same before and after */
function keptNames(manager: Manager, names: Names): readonly string[] {
  const site = siteOf(names);
  const own = Object.values(names).map((name: string) => name.toLowerCase());
  const [{ host, port }] = site.servers;
  const header = headerOf({ manager, servers: [`${port}@${host}`], time: NOW });
  const sections = renderTexts[manager](site).map(([input, text]) => sectionOf(input, text));
  const before = replay({ header, sections: sections.map((one) => ({ ...one, line: 1 })) });
  const { file, anonymized } = capture(sections, header);
  const after = replay(readCapture(file));
  expect(figuresOf(after)).toEqual(figuresOf(before));
  expect(anonymized.isRecognized).toBe(true);
  const shown = namesIn(after);
  // a manager without daemons has a name of its own for them
  const isOf = (name: string, one: string): boolean => (one.length > 1 ? name.includes(one) : name === one);
  const ofSite = [...namesIn(before)].filter((name) => own.some((one) => isOf(name.toLowerCase(), one)));
  return ofSite.filter((name) => shown.has(name));
}

const plain: Names = { user: 'jdoe', host: 'pc7', feature: 'solver', daemon: 'vend', server: 'lic1.acme.example' };
describe.each(managerNames)('a capture of %s', (manager) => {
  it.each<[string, Partial<Names>]>([
    ['with blanks', { user: 'Jane Q. Roe' }],
    ['of other letters', { user: 'größe', host: 'rechner-日本', feature: 'lösung' }],
    ['that are addresses', { host: '10.1.2.3', server: '10.20.30.40' }],
    ['that are addresses of version 6', { host: 'fe80::1:2' }],
    ['of domains', { user: 'jdoe.acme.example', host: 'pc7.acme.example' }],
    ['that are paths', { user: '/home/users/license', feature: 'opt/acme/solver' }],
    ['that are addresses of e-mail', { user: 'jane.roe@acme.example' }],
    ['with a domain of Windows', { user: 'ACME\\license', host: 'LICENSE' }],
    ['that are numbers', { user: '4711', host: '300', feature: '12345' }],
    ['that are short numbers', { user: '7', host: '9' }],
    ['of features with words of the tool', { feature: 'license_server_v2', daemon: 'floating_license' }],
    ['that are stand-ins', { user: 'u01', host: 'h01', feature: 'f01', daemon: 'w01' }],
    ['that differ in letter case', { user: 'Somebodyelse', feature: 'AnotherOne' }],
    ['that begin a notice of the tool', { user: 'copyright', feature: 'Copyright' }],
    ['that are months and days', { user: 'jan', host: 'mon', feature: 'may', daemon: 'sun' }],
  ])('has no names %s, and the same figures', (_, names) => {
    expect(keptNames(manager, { ...plain, ...names })).toEqual([]);
  });

  it('has no name that is a word of its tools, and the same figures', () => {
    const words = managerCodes[manager].vocabulary.words.split(/\s+/).filter((each) => each !== '');
    const more = ['v', 'up', 'start', 'users', 'in_use', 'user', 'borrowed', 'handle', 'count', 'exp', 'yes', 'queued'];
    const word = fc.constantFrom(...words, ...more).chain((one) => fc.constantFrom(one, one.toUpperCase()));
    fc.assert(
      fc.property(word, word, word, (user, host, feature) => {
        expect(keptNames(manager, { ...plain, user, host, feature })).toEqual([]);
      }),
    );
  });
});
