import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import { noOwners } from '../../../../src/base/model/owners.ts';
import type { FeatureRecord, ProductRecord, UserRecord } from '../../../../src/base/model/records.ts';
import { WHOLE } from '../../../../src/base/model/snapshot.ts';
import { waitedPeople } from '../../../../src/base/people.ts';
import type { Backend } from '../../../../src/site/grafana/answers/backend.ts';
import { DatasourceError } from '../../../../src/site/grafana/answers/errors.ts';
import type { DenialSource } from '../../../../src/site/pages/denied.ts';
import type { PageContext } from '../../../../src/site/pages/page.ts';
import { reclaimRoutes } from '../../../../src/site/pages/reclaim/route.ts';
import { isSaturated } from '../../../support/alert-views.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser } from '../../../support/browser.ts';
import { deriveInventoryNow, everything } from '../../../support/derived-inventory.ts';
import { createCleanup } from '../../../support/harness.ts';
import { peer } from '../../../support/peers.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../../support/scenario.ts';
import { servePage, testSite, textOf } from '../../../support/served-page.ts';

/** The page at `/reclaim`: what it says, and to whom. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const HOUR = 3600;
const DAY = 24 * HOUR;
const REFUSAL = 'who holds them is not shown: REMEDY';

let handle = 100;
/** A checkout that is in use, of the person and host of its user. */
const held = (userName: string, more: Partial<UserRecord> = {}): UserRecord => {
  handle += 1;
  return {
    userName,
    userHost: `host-of-${userName}`,
    userDisplay: ':0',
    usageTime: NOW - 5 * HOUR,
    licenseHandle: `${handle}`,
    shareHandle: 'undef',
    usedLicenses: 1,
    queuedLicenses: 0,
    borrowedLicenses: 0,
    licenseModelStatus: 'active',
    appStatus: 1,
    appDuration: 60,
    licenseModel: 'concurrent',
    displayName: undefined,
    mapped: undefined,
    server: 'flexnet:27000@lica',
    until: undefined,
    ...more,
  };
};
const idle = (user: string, seconds = 2 * HOUR, more: Partial<UserRecord> = {}) =>
  held(user, { appStatus: 0, appDuration: seconds, ...more });

interface Site {
  readonly products?: readonly Partial<ProductRecord>[];
  readonly features?: readonly Partial<FeatureRecord>[];
  /** Who holds a feature, or why it is not known. */
  readonly users?: Readonly<Record<string, readonly UserRecord[] | string>>;
  /** Features for which people wait, with their number. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly denials?: DenialSource;
  readonly refusal?: string | undefined;
  readonly people?: boolean;
  readonly pseudonymKey?: string;
}

const noneWaits = { maxQueued: 0 };

function contextOf({
  products = [{}],
  features = [{}],
  users = {},
  waiting = {},
  denials,
  refusal,
  people = true,
  pseudonymKey,
}: Site): { context: PageContext; asked: string[]; served: number[] } {
  const snapshot = createSnapshot({
    products: good(answer(products.map((one) => product(one)))),
    down: good(answer([])),
    features: { [WHOLE]: good(answer(features.map((one) => feature({ ...noneWaits, ...one })))) },
  });
  const inventory = deriveInventoryNow(snapshot, NOW, { ...everything, usageWhenNotCurrent: 'withhold' });
  const asked: string[] = [];
  const served: number[] = [];
  const backend = {
    inventory: () => inventory,
    upstream: {
      ask: async (_: string, { feature: name }: { feature: string }) => {
        asked.push(name);
        const records = users[name] ?? [];
        if (typeof records === 'string') throw new DatasourceError('upstream_down', records);
        return { records };
      },
    },
    users: { pseudonymKey, refusal: () => undefined, onServed: (count: number) => served.push(count) },
    reclaim: { refusal: () => refusal },
    owners: () => noOwners,
    isSaturated,
    localTime: createLocalTime('UTC'),
    now: () => NOW,
  } as unknown as Backend;
  const blocked = Object.entries(waiting).map(([name, count]) => ({
    vendorLicense: 'lic01;cdslmd',
    feature: name,
    denials: count,
    waited: waitedPeople([], [{ cause: 'all_busy', people: count, fresh: count, since: NOW - 12 * 60, seconds: 99 }]),
  }));
  const context = {
    site: testSite,
    people,
    backend: () => backend,
    denials: () => denials ?? { kind: 'recorded', today: async () => ({ value: { features: blocked } }) },
  } as unknown as PageContext;
  return { context, asked, served };
}

const link = { path: 'reclaim', title: 'Reclaim' };

async function open(site: Site, query = '') {
  const { context, asked, served } = contextOf(site);
  const response = await fetch(`${await servePage(cleanup, '/reclaim', reclaimRoutes(context, link))}/reclaim${query}`);
  const page = await response.text();
  return { status: response.status, page, text: textOf(page), asked, served };
}

const LINE = 'lmutil lmremove -c 27000@lica -h';

describe('a checkout that could come back', () => {
  it('has its evidence, and the line of its license server', async () => {
    const users = [
      held('ada'),
      held('bob', { appStatus: 3, appDuration: 25 * 60, licenseHandle: '7' }),
      idle('cyd', 3 * HOUR + 20 * 60),
      idle('dan', 3500),
      held('eve', { appStatus: 2, appDuration: 2 * HOUR }),
      held('fay', { usageTime: NOW - 9 * HOUR, userHost: 'WS1', licenseHandle: '8' }),
      held('Fay', { usageTime: NOW - 8 * HOUR, userHost: 'ws1', licenseHandle: '9' }),
      held('fay', { usageTime: NOW - 7 * HOUR, userHost: 'ws1' }),
      held('gus', { borrowedLicenses: 1, until: NOW + 30 * DAY }),
      held('hal', { borrowedLicenses: 1, until: NOW - 2 * DAY }),
      held('ida', { borrowedLicenses: 1, until: NOW + 3 * DAY }),
    ];
    const { text, page, served } = await open({ features: [{ inUse: 11 }], users: { base: users } });
    expect(text).toContain('Free 1 of base now, 4 after asking lic01;cdslmd');
    expect(text).toContain(
      'Could come back: 1 of applications that have ended, 2 idle, 2 of people with a later checkout on the same host, 2 borrowed for long.',
    );
    expect(text).toContain('bob host-of-bob · :0 the application has ended 25m ago 1 license, checked out 5h ago');
    expect(page).toContain(`<pre>${LINE} base lica 27000 7</pre>`);
    expect(text).toContain('inactive for 3h 20m');
    expect(text).toContain('suspended for 2h');
    expect(text).toContain('3 checkouts of the same person on this host; a later one exists');
    expect(page).toContain(`<pre>${LINE} base lica 27000 8</pre>`);
    expect(page).toContain(`<pre>${LINE} base lica 27000 9</pre>`);
    expect(text).toContain('borrowed until 2027-02-14 1 license');
    expect(text).toContain('borrowed until 2027-01-13, which is past');
    expect(text).toContain('on the host that borrowed it: type it there. lmutil lmborrow -return base');
    for (const other of ['ada', 'dan', 'ida']) expect(text).not.toContain(other);
    // bob, cyd, eve, fay in two spellings, gus and hal
    expect(served).toEqual([7]);
  });

  it('has no line where the license server is not known, which is said once', async () => {
    const users = { base: [idle('ada', HOUR, { server: '' }), idle('bob', HOUR, { server: '' })] };
    const { text, page } = await open({ users });
    expect(text.match(/No command is known/g)).toHaveLength(1);
    expect(text).toContain('ada host-of-ada · :0');
    expect(page).not.toContain('<pre>');
  });

  it('has two lines where a name needs quotes, with every blank', async () => {
    const users = { 'a  b': [idle('ada', HOUR, { licenseHandle: '7' })] };
    const { page } = await open({ features: [{ feature: 'a  b' }], users });
    expect(page).toContain(`<small>sh</small><pre>${LINE} &#39;a  b&#39; lica 27000 7</pre>`);
    expect(page).toContain(`<small>cmd</small><pre>${LINE} &quot;a  b&quot; lica 27000 7</pre>`);
  });

  it('of tokens is that of the feature that takes them', async () => {
    const users = { base: [idle('ada')], tokens: [idle('ada')] };
    const { text } = await open({ features: [{ tokenPool: 'tokens' }, { feature: 'tokens' }], users });
    expect(text).toContain('of base after asking');
    expect(text).not.toContain('of tokens after asking');
    const query = '?vendor_license=lic01%3Bcdslmd&feature=tokens';
    const only = await open({ features: [{ tokenPool: 'tokens' }, { feature: 'tokens' }], users }, query);
    expect(only.text).toContain('Its licenses are tokens');
  });

  it('is markup only as text', async () => {
    const { page } = await open({ users: { base: [idle('<b>ada</b>', HOUR, { licenseHandle: '<i>' })] } });
    expect(page).not.toMatch(/<b>ada|<i>/);
  });

  it('shares its licenses with no other one', async () => {
    const users = [
      idle('ada', HOUR, { licenseHandle: 'h1' }),
      idle('ada', HOUR, { licenseHandle: 'h2', shareHandle: 'h1' }),
      idle('bob', HOUR, { shareHandle: 's9' }),
    ];
    const { text } = await open({ users: { base: users } });
    expect(text).toContain('Free 1 of base after asking');
  });
});

describe('who sees what', () => {
  const site: Site = { features: [{ inUse: 2 }], users: { base: [idle('ada'), idle('bob')] } };

  it('without the right, there are counts by kind and no names', async () => {
    const { text, page, served } = await open({ ...site, refusal: REFUSAL });
    expect(text).toContain('Who holds them is not shown: REMEDY.');
    expect(text).toContain('Free 2 of base after asking');
    expect(text).toContain('Could come back: 2 idle.');
    expect(page).not.toMatch(/ada|bob|host-of|lmremove|<pre>/);
    expect(served).toEqual([0]);
  });

  it('with pseudonyms, names and hosts are hashes', async () => {
    const { text, page } = await open({ ...site, pseudonymKey: 'key' });
    expect(text).toMatch(/[0-9a-f]{12} [0-9a-f]{12} · [0-9a-f]{12} inactive for 2h/);
    expect(page).not.toMatch(/ada|bob|host-of/);
    expect(page).toContain(LINE);
  });

  it('with people off, there is no such page', async () => {
    const { status, text, asked } = await open({ ...site, people: false });
    expect([status, asked]).toEqual([404, []]);
    expect(text).toContain('the setting people is off');
  });
});

describe('the order', () => {
  const full = { maxAvailable: 10, inUse: 10 };
  const some = { maxAvailable: 100, inUse: 10 };

  it('is by who waits, then full ones, then most licenses', async () => {
    const { text } = await open({
      features: [
        { feature: 'most', ...some },
        { feature: 'full', ...full },
        { feature: 'few', ...some },
        { feature: 'queued', ...some, maxQueued: 1 },
        { feature: 'waited', ...some },
      ],
      users: {
        most: [idle('a'), idle('b')],
        few: [idle('c')],
        full: [idle('d')],
        queued: [idle('e')],
        waited: [idle('f')],
      },
      waiting: { waited: 4 },
    });
    expect(text.match(/(?<=Free \d of )\w+/g)).toEqual(['waited', 'queued', 'full', 'most', 'few']);
    expect(text).toContain('4 people wait now , the longest for 12m · 10 of 100 in use · collected 1m ago');
    expect(text).toContain('1 request queued');
  });

  it('has a feature for which people wait and of which nothing could come back', async () => {
    const users = { base: [held('ada')], other: [held('bob')] };
    const { text } = await open({ features: [some, { feature: 'other', ...some }], users, waiting: { base: 1 } });
    expect(text).toContain('base lic01;cdslmd 1 person waits now , for 12m');
    expect(text).toContain('Nothing is known that could come back.');
    expect(text).toContain('Of 1 more feature, nothing is known that could come back.');
  });

  it('is cut at 25 checkouts of a feature, and the page of one feature has more', async () => {
    const users = { base: Array.from({ length: 230 }, (_, i) => idle(`u${i}`)) };
    const all = await open({ users });
    expect(all.page.match(/<pre>/g)).toHaveLength(25);
    expect(all.text).toContain('Free 230 of base after asking');
    expect(all.text).toContain('25 of 230 checkouts. More of this feature');
    const query = '?vendor_license=lic01%3Bcdslmd&feature=base';
    expect(all.page).toContain(`href="reclaim${query.replace('&', '&amp;')}"`);
    expect((await open({ users }, query)).page.match(/<pre>/g)).toHaveLength(200);
  });

  it('is asked of 100 features, those that need it first', async () => {
    const features = Array.from({ length: 130 }, (_, i) => ({ feature: `f${i}`, ...some }));
    const users = Object.fromEntries(features.map((one) => [one.feature, [held('ada')]]));
    const { asked, text } = await open({ features, users, waiting: { f129: 2 } });
    expect(asked).toHaveLength(100);
    expect(asked).toContain('f129');
    expect(text).toContain('Who holds 30 more features was not asked');
    expect((await open({ features, users }, '?q=F7')).asked).toHaveLength(11);
  });
});

describe('what is not known', () => {
  it('is said of an analyzer that does not answer, and is not nothing', async () => {
    const { text } = await open({ users: { base: 'the analyzer cannot be reached: refused' } });
    expect(text).toContain('The analyzer cannot be reached: refused. base');
    expect(text).not.toContain('nothing is known that could come back');
  });

  it('is said of one that names nobody, and of data that is not current', async () => {
    const products = [{}, { product: 'lic02;mlm', isCurrent: false }];
    const features = [{}, { feature: 'old', serverName: 'lic02', daemon: 'mlm' }];
    const { text, asked } = await open({ products, features });
    expect(text).toContain('The analyzer names nobody. base');
    expect(text).toContain('The data of the vendor license is not current. old');
    expect(asked).toEqual(['base']);
  });

  it('is said of a name that the analyzer takes for others too', async () => {
    const { text, asked } = await open({ features: [{ feature: 'b%' }] });
    expect([asked, text]).toEqual([[], expect.stringContaining('The analyzer takes % in a name for any text. b%')]);
  });

  it('is said of the kinds that a license manager does not tell', async () => {
    const untold = { appStatus: undefined, appDuration: undefined, borrowedLicenses: undefined };
    const users = { base: [held('ada', untold), held('bob', { ...untold, usageTime: undefined })] };
    const { text } = await open({ features: [{ inUse: 6, maxAvailable: 6 }], users });
    expect(text).toContain('Idle and ended applications are not known for this license manager.');
    expect(text).toContain('Whether it is borrowed for long is not known of 2 of 2 checkouts.');
    expect(text).toContain('Whether it is a duplicate is not known of 1 of 2 checkouts.');
    expect(text).toContain('Of 4 licenses in use at the last poll, no user is listed.');
  });

  it('is said of who waits', async () => {
    const site = { features: [{ maxQueued: undefined }], users: { base: [idle('ada')] } };
    expect((await open({ ...site, denials: { kind: 'not polled' } })).text).toContain('who waits is not known');
  });

  it('does not include features without a license in use', async () => {
    expect((await open({ features: [{ inUse: 0 }] })).text).toContain('No license of 1 feature is in use');
    expect((await open({}, '?q=nothing')).text).toContain('No feature matches.');
    expect((await open({}, '?vendor_license=lic01%3Bcdslmd&feature=no')).status).toBe(404);
  });
});

describe.runIf(peer('chromium'))('in Chromium', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  it('the page is flawless, and a line is copied as it is', async () => {
    const users = {
      base: [idle('ada', HOUR, { userHost: 'a-very-long-host-name.'.repeat(4) }), held('bob', { appStatus: 3 })],
      'two  blanks': [idle('cyd', HOUR, { licenseHandle: '7' })],
    };
    const site = { features: [{ maxAvailable: 6 }, { feature: 'two  blanks' }], users, waiting: { base: 3 } };
    const url = await servePage(cleanup, '/reclaim', reclaimRoutes(contextOf(site).context, link));
    for (const view of Object.values(drawnViews)) {
      const { page, look } = await browser.open(`${url}/reclaim`, view);
      expect(await look(), JSON.stringify(view)).toMatchObject(flawless);
      const copied = await page.evaluate(
        '(getSelection().selectAllChildren([...document.querySelectorAll("pre")].at(-1)), getSelection().toString())',
      );
      await page.close();
      expect(copied).toBe(`${LINE} "two  blanks" lica 27000 7`);
    }
  });
});
