import fc from 'fast-check';
import type { Site, SiteCheckout, SiteDaemon, SiteFeature, SitePool, SiteReservation } from './site.ts';

/** Sites as FlexNet can have them: triads, several daemons, reservations, queues, borrowed licenses. */

const word = (first: string, others: string, maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...first), fc.string({ unit: fc.constantFrom(...others), maxLength: maxLength - 1 }))
    .map(([head, rest]) => head + rest);

const LETTERS = 'abcdefgXYZ';
const version = word('0123456789', '0123456789.', 8);
const host = word('hH', `${LETTERS}0123456789.-`, 12);
const featureName = word(LETTERS, `${LETTERS}0123456789_+.-:%/`, 12);

/** A user with blanks is understood if the display shows which word is the host. */
const who = fc.oneof(
  fc.record({
    user: word('uVé', `${LETTERS}é0123456789@.()_\\-`, 12),
    host,
    display: fc.oneof(host, fc.constantFrom(':0', '/dev/pts/12', 'JavaDisplay')),
  }),
  fc
    .tuple(
      // a word that begins the next one would look like a host
      fc.tuple(word('u', LETTERS, 6), word('V', LETTERS, 6), word('é', LETTERS, 6)),
      fc.constantFrom(2, 3),
      fc.stringMatching(/^h[a-f]{3,6}$/),
      fc.constantFrom('', ':0', ':12.0'),
    )
    .map(([words, length, name, screen]) => ({
      user: words.slice(0, length).join(' '),
      host: name,
      display: name + screen,
    })),
);

const handle = fc.integer({ min: 1, max: 99_999 }).map(String);

const checkoutOf = (now: number): fc.Arbitrary<SiteCheckout> =>
  fc
    .record({
      who,
      since: fc.integer({ min: 0, max: 360 * 24 * 60 }).map((minutes) => now - (now % 60) - minutes * 60),
      licenses: fc.integer({ min: 1, max: 40 }),
      handle,
      linger: fc.option(fc.integer({ min: 1, max: 9_999_999 }), { nil: undefined, freq: 6 }),
    })
    .map(({ who: named, linger, ...rest }) => ({ ...named, ...rest, ...(linger !== undefined && { linger }) }));

const reservation: fc.Arbitrary<SiteReservation> = fc.record({
  kind: fc.constantFrom('USER', 'HOST', 'GROUP', 'HOST_GROUP'),
  holder: word(LETTERS, `${LETTERS}0123456789_-`, 10),
  licenses: fc.integer({ min: 1, max: 60 }),
});

const poolOf = (now: number): fc.Arbitrary<SitePool> =>
  fc.record({
    version,
    count: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 5000 }) }, fc.constant(Number.POSITIVE_INFINITY)),
    expires: fc.oneof(
      fc.constant('permanent' as const),
      fc.record({
        year: fc.integer({ min: 2015, max: 2099 }),
        month: fc.integer({ min: 1, max: 12 }),
        date: fc.integer({ min: 1, max: 28 }),
      }),
    ),
    reservations: fc.array(reservation, { maxLength: 3 }),
    checkouts: fc.array(checkoutOf(now), { maxLength: 5 }),
    queued: fc.array(
      fc
        .record({ who, licenses: fc.integer({ min: 1, max: 9 }), handle })
        .map(({ who: named, ...rest }) => ({ ...named, ...rest })),
      { maxLength: 2 },
    ),
  });

const featureOf = (now: number): fc.Arbitrary<SiteFeature> =>
  fc.record({ name: featureName, pools: fc.array(poolOf(now), { minLength: 1, maxLength: 2 }) });

const daemonOf = (now: number): fc.Arbitrary<SiteDaemon> =>
  fc.record({
    name: word(LETTERS, `${LETTERS}0123456789_-`, 8),
    isUp: fc.boolean(),
    features: fc.uniqueArray(featureOf(now), { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
  });

/** One server, or a triad of which at least two run. */
const servers: fc.Arbitrary<Site['servers']> = fc
  .record({
    hosts: fc.uniqueArray(host, { minLength: 3, maxLength: 3, selector: (name) => name.toLowerCase() }),
    port: fc.integer({ min: 1, max: 65_535 }),
    isTriad: fc.boolean(),
    down: fc.constantFrom(1, 2, undefined),
  })
  .map(({ hosts, port, isTriad, down }): Site['servers'] => {
    const [first, ...others] = hosts.map((name, at) => ({
      host: name,
      port,
      isUp: at !== down,
      isMaster: at === 0,
    }));
    if (first === undefined) throw new Error('no host');
    return isTriad ? [first, ...others] : [first];
  });

export const randomFlexnetSite: fc.Arbitrary<Site> = fc
  .integer({ min: Date.UTC(2021) / 1000, max: Date.UTC(2036) / 1000 })
  .chain((now) =>
    fc.record({
      servers,
      now: fc.constant(now),
      daemons: fc.uniqueArray(daemonOf(now), { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
    }),
  );
