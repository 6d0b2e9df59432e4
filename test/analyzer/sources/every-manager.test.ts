import { describe, expect, it } from 'vitest';
import { type Question, questions } from '../../../src/analyzer/sources/manager.ts';
import { managerCodes } from '../../../src/analyzer/sources/manager-codes.ts';
import { type Manager, managerNames, managers } from '../../../src/analyzer/sources/managers.ts';
import type { Parsed } from '../../../src/analyzer/sources/parsed.ts';
import type { PoolObservation } from '../../../src/base/model/observation/observation.ts';
import { renderTexts } from '../../support/license-site/render-texts.ts';
import type { Site } from '../../support/license-site/site.ts';
import { sourceSettings } from '../../support/source-settings.ts';

/** What a manager says of itself is what its reader does. */

const now = 1_800_000_000;
const checkout = { host: 'pc7', display: 'pc7:0', since: now - 3600, licenses: 1, handle: '104' };
const site: Site = {
  servers: [{ host: 'lic1', port: 27_000, isUp: true, isMaster: true }],
  now,
  daemons: [
    {
      name: 'vend',
      isUp: true,
      features: [
        {
          name: 'solver',
          pools: [
            {
              version: '2026.1',
              count: 9,
              expires: { year: 2030, month: 1, date: 28 },
              reservations: [],
              checkouts: [
                { ...checkout, user: 'ada', linger: 7200 },
                { ...checkout, user: 'grace' },
              ],
              queued: [{ user: 'joan', host: 'pc8', display: 'pc8:0', licenses: 1, handle: '105' }],
            },
          ],
        },
      ],
    },
  ],
};

const textOf = (manager: Manager): string => renderTexts[manager](site)[0][1];

const has = (pool: PoolObservation, what: 'borrowed' | 'status'): boolean =>
  pool.unknownOfCheckouts?.includes(what) !== true;

const known: Readonly<Record<Question, (pool: PoolObservation, read: Parsed) => boolean>> = {
  down: (_, { vendorLicenses }) => vendorLicenses.every(({ reachable }) => reachable),
  redundancy: (_, { members }) => members.length > 0,
  usage: ({ inUse, increments }) => inUse !== undefined && increments[0]?.count === 9,
  users: ({ checkouts }) => checkouts.some(({ user, host }) => user === 'ada' && host === 'pc7'),
  since: ({ checkouts }) => checkouts.some(({ since }) => since === now - 3600),
  unusedReserve: ({ unusedReserve, reservations, reserved }) =>
    (unusedReserve ?? reservations ?? reserved) !== undefined,
  usedReserve: ({ usedReserve, reservations }) => (usedReserve ?? reservations?.length) !== undefined,
  queue: ({ queued }) => queued !== undefined,
  borrowed: (pool) => has(pool, 'borrowed'),
  denials: ({ denials }) => denials !== undefined,
  denialCauses: ({ denialCauses }) => denialCauses !== undefined,
  people: ({ blocked }) => blocked !== undefined,
  versions: ({ version }) => version !== '',
  expiry: ({ increments }) => typeof increments[0]?.expires === 'number',
  tokens: ({ token }) => typeof token === 'object',
  applications: (pool) => has(pool, 'status'),
};

/** What needs more than this text: files of FlexNet, keys that the document does not have, or no reservation at all. */
const elsewhere: Readonly<Partial<Record<Manager, readonly Question[]>>> = {
  flexnet: ['usedReserve', 'denials', 'denialCauses', 'people', 'versions'],
  // that nothing is reserved says that nothing reserved is in use
  rlm: ['usedReserve', 'denials', 'denialCauses', 'people'],
  slurm: ['usedReserve', 'redundancy'],
  // a counter says nothing at first sight
  lmx: ['denials'],
  // a site without groups
  lsdyna: ['tokens'],
  // its users are further answers
  'query-api': ['users', 'since', 'usedReserve', 'borrowed', 'applications', 'tokens'],
  json: ['denials', 'denialCauses', 'tokens', 'applications', 'redundancy'],
};

describe.each(managerNames)('%s', (manager) => {
  const input = {
    settings: sourceSettings({ manager }),
    via: 'file' as const,
    now,
    output: { stdout: textOf(manager), stderr: '', exitCode: undefined, at: now },
    more: { server: '27000@lic1', memory: { knownHosts: new Set(), hasSeenQueue: false, daemons: new Map() } },
  };
  const more = ['flexnet', 'rlm'].includes(manager) ? input.more : { server: '27000@lic1', memory: undefined };
  const parsed = managerCodes[manager].read({ ...input, more });
  const pool = parsed.vendorLicenses[0]?.pools[0];
  const asked = (Object.keys(questions) as Question[]).filter(
    (question) => elsewhere[manager]?.includes(question) !== true,
  );

  it.each(asked)('answers as it says: %s', (question) => {
    const isAnswered = pool !== undefined && known[question](pool, parsed);
    expect(isAnswered).toBe(managers[manager].answers[question] !== 'none');
  });

  it('recognizes its own text, and no other manager is surer', () => {
    const sure = managerNames.filter((name) =>
      Object.values(managerCodes[name].texts).some(
        ({ recognize }) => recognize !== 'inCaptures' && recognize(textOf(manager), now, 'UTC')?.isSure,
      ),
    );
    expect(sure).toEqual([manager]);
  });

  it('says what it calls its texts, and no other manager calls one so', () => {
    const titles = managerNames.flatMap((name) => Object.values(managerCodes[name].texts).map(({ title }) => title));
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
    expect(Object.keys(managerCodes[manager].texts)).not.toEqual([]);
  });

  it('asks its tool for something, or reads a file', () => {
    const places = Object.values(managerCodes[manager].texts).flatMap((kind) =>
      kind.places(sourceSettings({ manager })),
    );
    expect(places.length).toBeGreaterThan(0);
  });
});
