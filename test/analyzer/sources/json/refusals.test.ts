import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { documents, NOW, parse, parseText, withFeatures } from './documents.ts';

/** The failure of a text. */
function failureOf(text: string): SourceFailure {
  try {
    parseText(text);
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw error;
  }
  throw new Error('it is not refused');
}

const messageOf = (document: unknown): string => failureOf(JSON.stringify(document)).message;

describe('a text that is not JSON', () => {
  it.each([
    ['', 'the output is empty'],
    [' \n', 'the output is empty'],
    ['<html>', 'the output is HTML or XML'],
    ['Error: user jdoe unknown', 'the output is not JSON'],
    ['{"version": 1, "vendor_licenses": [', 'the output is only the beginning of JSON, up to line 1 column 36'],
    ['{"version": 1,\n"in_use": NaN}', 'NaN at line 2 column 11 is no number of JSON: leave out what is not known'],
    [
      '{"version": 1, "in_use": -1.#IND}',
      '-1.#IND at line 1 column 26 is no number of JSON: leave out what is not known',
    ],
    ['{"version": 1, "in_use": jdoe}', 'the output is not JSON at line 1 column 26'],
    ['{"version": 1,\n"vendor_licenses": [],\n}', 'the output is not JSON at line 3 column 1'],
  ])('%j is refused', (text, problem) => {
    const { kind, message } = failureOf(text);
    expect({ kind, message }).toEqual({
      kind: 'unparsed',
      message: `${problem}: the script must print one observation document and nothing else, see docs/json-source.md`,
    });
  });

  it('is not repeated', () => {
    expect(failureOf('{"user": "jdoe",, "at position 3 (line 9 column 9)"').message).not.toMatch(/jdoe|line 9/);
  });

  it('may have a byte order mark before the JSON', () => {
    const text = JSON.stringify(withFeatures([{ feature: 'f' }]));
    expect(parseText(`\ufeff${text}`).vendorLicenses).toHaveLength(1);
  });
});

describe('a document that is wrong', () => {
  it.each([
    [[], 'an array is not an object'],
    [null, 'null is not an object'],
    [{ vendor_licenses: [] }, 'version: is required'],
    [
      { version: 2, vendor_licenses: [] },
      'version: 2 is not 1, the version that this release reads: update license-exporter',
    ],
    [{ version: 1 }, 'vendor_licenses: is required'],
    [{ version: 1, vendor_licenses: [] }, 'vendor_licenses: is empty: list every vendor license, with reachable false'],
    [{ version: 1, vendor_licenses: [{ daemon: 'd', features: [] }] }, 'vendor_licenses[0].server: is required'],
    [
      { version: 1, vendor_licenses: [{ server: ' ', daemon: 'd', features: [] }] },
      'vendor_licenses[0].server: is empty',
    ],
    [
      { version: 1, vendor_licenses: [{ server: 'a;b', daemon: 'd', features: [] }] },
      'vendor_licenses[0].server: has a semicolon, which separates server, daemon and part',
    ],
    [
      { version: 1, vendor_licenses: [{ server: 's', daemon: 'd' }] },
      'vendor_licenses[0]: has no features: list them, or write reachable false',
    ],
    [
      {
        version: 1,
        vendor_licenses: [
          { server: 's', daemon: 'd', features: [] },
          { server: 's ', daemon: 'd', features: [] },
        ],
      },
      'vendor_licenses[1]: has the same server, daemon and part as number 0 of the list',
    ],
    [{ ...withFeatures([]), members: [{ server: 's', up: 'yes' }] }, 'members[0].up: the string is not true or false'],
    [{ ...withFeatures([]), problems: [{ kind: 'daemon-down', message: 'm' }] }, 'did you mean daemon_down?'],
  ])('as %j names it', (document, problem) => {
    expect(messageOf(document)).toContain(`the observation document is refused as a whole, see docs/json-source.md: `);
    expect(messageOf(document)).toContain(problem);
  });

  it.each([
    [{ in_use: -1 }, '.in_use: -1 is not an integer from 0 to 1000000000'],
    [{ in_use: 1.5 }, '.in_use: 1.5 is not an integer'],
    [{ in_use: '3' }, '.in_use: the string is not an integer from 0 to 1000000000: write the number without quotes'],
    [{ denials_total: -1 }, '.denials_total: -1 is not an integer of at least 0'],
    [{ count: 2147483647 }, '.count: 2147483647 is not uncounted or an integer'],
    [{ inUse: 1 }, ': unknown key inUse, did you mean in_use?'],
    [{ colour: 1 }, ': has an unknown key; valid are feature, version,'],
    [
      { license_type: 'Floating' },
      '.license_type: the string is not floating, node-locked or uncounted, did you mean floating?',
    ],
    [{ expires: '2027-02-30' }, '.expires: the string is not permanent, a date such as 2027-06-30'],
    [{ expires: 0 }, ': write seconds since 1970, not a duration'],
    [{ checkouts: [{ user: 'u', since: NOW * 1000 }] }, '.checkouts[0].since: 1772712000000 is not epoch seconds'],
    [{ checkouts: [{ user: 'u', since: NOW * 1000 }] }, ': write seconds, not milliseconds'],
    [{ checkouts: [{ user: 'u', since: '2026-03-05T12:00:00' }] }, ': add the time zone, Z or +02:00'],
    [
      { checkouts: [{ user: 'u', since: '2026-03-05T12:00:61Z' }] },
      '.checkouts[0].since: the string is not epoch seconds',
    ],
    [{ checkouts: [{ user: 'u', status: { state: 'activ' } }] }, '.checkouts[0].status.state: the string is not'],
    [{ checkouts: { user: 'u' } }, '.checkouts: an object is not an array'],
    [{ token: { pool: 'p', costs: 1 } }, '.token.cost: is required'],
    [{ token: { pool: 'p', costs: 1 } }, '.token: unknown key costs, did you mean cost?'],
    [{ token: 3 }, '.token: 3 is not an object with pool and cost, or unknown'],
    [{ count: 1, increments: [{ count: 1 }] }, ': has increments beside count or expires'],
    [{ denials: 1, denials_total: 1 }, ': has both denials and denials_total'],
    [{ increments: [] }, '.increments: is empty: leave it out, or write count 0'],
  ])('in a feature with %j names the place', (feature, problem) => {
    const good = { feature: 'good' };
    expect(messageOf(withFeatures([good, { feature: 'f', ...feature }]))).toContain('vendor_licenses[0].features[1]');
    expect(messageOf(withFeatures([good, { feature: 'f', ...feature }]))).toContain(problem);
  });

  it('in the same feature twice names both', () => {
    const twice = [
      { feature: 'f' },
      { feature: 'g' },
      { feature: 'f', version: '', feature_type: 'feature', count: 2 },
    ];
    expect(messageOf(withFeatures(twice))).toContain(
      'features[2]: has the same feature, version, package, types and token pool as number 0 of the list',
    );
    const apart = [{ feature: 'f' }, { feature: 'f', version: '2' }, { feature: 'f', license_type: 'node-locked' }];
    expect(parse(withFeatures(apart)).vendorLicenses[0]?.pools).toHaveLength(3);
  });

  it('names the first 20 problems and counts the others', () => {
    const message = messageOf(withFeatures(Array.from({ length: 25 }, (_, i) => ({ feature: `f${i}`, in_use: -1 }))));
    expect(message.split('; ')).toHaveLength(21);
    expect(message).toMatch(/features\[19\]\.in_use: [^;]*; and 5 more$/);
  });
});

describe('a message', () => {
  /** Words of one kind of places each. A user can also be where something else is expected. */
  const secrets = ['jdoe', 'ws-secret', 'disp-secret', 'hand-secret', 4_711_4711];

  it('has no user, host, display, handle or holder', () => {
    const [user, host, display, handle, number] = secrets;
    const features = [
      { checkouts: [{ user, host, display, handle, since: user, borrowed: host, x: 1 }] },
      { checkouts: [{ user: number, host: number, display: [display], handle: { handle }, status: user }] },
      { checkouts: [{ [String(user)]: host }], queued: [{ [String(host)]: 1, user: 1 }] },
      { checkouts: { [String(user)]: 1 }, in_use: user, expires: host, count: display, license_type: user },
      { reservations: [{ holder: number, licenses: user }], [String(user)]: { host } },
      { token: { [String(user)]: 1 } },
    ];
    const messages = features.map((feature) => messageOf(withFeatures([{ feature: 'f', ...feature }])));
    for (const message of messages) {
      for (const secret of secrets) expect(message).not.toContain(String(secret));
    }
    expect(messages.join()).toContain('reservations[0].holder: a number is not a string');
    expect(messages.join()).toContain('token: has an unknown key; valid are pool, source, cost');
  });
});

describe('hostile texts', () => {
  it.each([
    ['[', 1_000_000],
    ['{"a":', 500_000],
    ['{"version":1,"vendor_licenses":[', 100_000],
  ])('of %j nested are refused', (part, times) => {
    expect(failureOf(part.repeat(times)).kind).toBe('unparsed');
  });

  it('with deep values are refused', () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
    const text = `{"version":1,"vendor_licenses":[{"server":"s","daemon":"d","features":[{"feature":"f","checkouts":${deep}}]}],"x":${deep}}`;
    expect(failureOf(text).message).toContain('features[0].checkouts[0]: an array is not an object');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'with the key %s are refused everywhere',
    (key) => {
      const texts = [
        `{"version":1,"vendor_licenses":[{"server":"s","daemon":"d","features":[]}],"${key}":{"time":1}}`,
        `{"version":1,"vendor_licenses":[{"server":"s","daemon":"d","${key}":{"features":[]}}]}`,
        `{"version":1,"vendor_licenses":[{"server":"s","daemon":"d","features":[{"feature":"f","${key}":{"in_use":1}}]}]}`,
        `{"version":1,"vendor_licenses":[{"server":"s","daemon":"d","features":[{"feature":"f","checkouts":[{"user":"u","${key}":[]}]}]}]}`,
      ];
      for (const text of texts) expect(failureOf(text).message).toContain('unknown key');
      expect({}).not.toHaveProperty('in_use');
    },
  );

  it('with names of prototypes as values are only names', () => {
    const features = ['__proto__', 'constructor', 'toString'].map((feature) => ({ feature, denials_total: 1 }));
    const { vendorLicenses } = parse({
      version: 1,
      vendor_licenses: [{ server: '__proto__', daemon: 'constructor', features }],
    });
    expect(vendorLicenses[0]?.pools.map(({ feature }) => feature)).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it.each(['1e999', '-1e999', '1e308', '99999999999999999999999999', '1e-400'])(
    'with the number %s are safe',
    (number) => {
      const of = (feature: string): string =>
        `{"version":1,"vendor_licenses":[{"server":"s","daemon":"d","features":[{"feature":"f",${feature}}]}]}`;
      for (const key of ['in_use', 'denials_total', 'count', 'expires']) {
        // a number that is too small to be written is 0
        if (number === '1e-400' && key !== 'expires')
          expect(parseText(of(`"${key}":${number}`)).vendorLicenses).toHaveLength(1);
        else expect(failureOf(of(`"${key}":${number}`)).kind).toBe('unparsed');
      }
    },
  );

  it('with very many or very long wrong keys take linear time', () => {
    const keys = Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join();
    expect(failureOf(`{"version":1,"vendor_licenses":[],${keys}}`).message).toMatch(/; and \d+ more$/);
    const long = 'in_use'.repeat(500_000);
    expect(failureOf(`{"version":1,"vendor_licenses":[],"${long}":1}`).message.length).toBeLessThan(2000);
  });

  const outcomeOf = (text: string): string => {
    try {
      return parseText(text).vendorLicenses.length > 0 ? 'parsed' : 'nothing';
    } catch (error) {
      return error instanceof SourceFailure ? 'failure' : String(error);
    }
  };

  it('of any bytes fail', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('utf8')),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(outcomeOf(text)).toBe('failure');
      }),
    );
  });

  it('that are a document with a cut or a change are parsed or fail', () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(documents, fc.nat(), fc.nat(9), fc.string({ maxLength: 3 }), (document, at, length, insertion) => {
        const text = JSON.stringify(document);
        const from = at % text.length;
        outcomes.add(outcomeOf(text.slice(0, from)));
        outcomes.add(outcomeOf(text.slice(0, from) + insertion + text.slice(from + length)));
      }),
    );
    expect([...outcomes].sort()).toEqual(['failure', 'parsed']);
  });
});
