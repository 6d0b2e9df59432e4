import { describe, expect, it } from 'vitest';
import { checkoutsOf, context, DAEMON, feature, HEAD, NOW, parse, SERVER, TITLE } from './samples.ts';

const user = '    ada pc-1 pc-1 (v4.0) (lic1/27000 1204), start Tue 3/17 9:05\n';

describe('servers and daemons', () => {
  it('are read from the lines before the features', () => {
    const report = parse(HEAD + feature('solver', 5, 0));
    expect(report).toMatchObject({
      referenceTime: NOW,
      serverLists: [['27000@lic1']],
      members: [{ host: 'lic1', up: true, isMaster: true, version: 'v11.19.6', error: undefined }],
      daemons: [{ name: 'acme', up: true, version: 'v11.19.6', error: undefined }],
      errors: [],
      diagnostics: { unparsed: 0 },
    });
  });

  it('can be three, with names of any form', () => {
    const report = parse(`${TITLE}
[Detecting lmgrd processes...]
License server status: 1055@lic1.example.com, port@10.0.0.2,lic3
    License file(s) on lic1.example.com: C:\\Program Files\\a.lic:D:\\b.lic:
    E:\\more (v1) (x/y 1).lic:

  lic1.example.com: license server UP v11.7
  10.0.0.2: license server UP (MASTER) v11.7
  2001:db8::3: Cannot connect to license server system. (-15,570:115 "Operation now in progress")
  lic4: license server DOWN
  lic5: License server machine is down or not responding. (-96,7:2 "No such file (or) directory")
`);
    expect(report.serverLists).toEqual([['1055@lic1.example.com', 'port@10.0.0.2', 'lic3']]);
    expect(report.members.map(({ host, up, isMaster, error }) => [host, up, isMaster, error?.code])).toEqual([
      ['lic1.example.com', true, false, undefined],
      ['10.0.0.2', true, true, undefined],
      ['2001:db8::3', false, false, -15],
      ['lic4', false, false, undefined],
      ['lic5', false, false, -96],
    ]);
    expect(report.members[2]?.error).toEqual({ code: -15, detail: 570 });
    expect(report.diagnostics.unparsed).toBe(0);
  });

  it('can be listed without their headings', () => {
    const report = parse(`${TITLE}\nlic1: Cannot connect to license server system. (-15,570)\nacme: UP v11.19.6\n`);
    expect(report.members).toMatchObject([{ host: 'lic1', up: false, error: { code: -15 } }]);
    expect(report.daemons).toMatchObject([{ name: 'acme', up: true }]);
  });

  it('are up, down, or answer with an error', () => {
    const report = parse(`${TITLE}\n${SERVER}
Vendor daemon status (on lic1):

   acme: UP v11.16.2
   my-daemon.2: UP
   idle: DOWN
   dead: The desired vendor daemon is down. (-97,121)
   lost: Cannot connect to license server system. (-15,10:10061 "WinSock: Connection refused")
Feature usage info:
`);
    expect(report.daemons.map(({ name, up, version, error }) => [name, up, version, error?.code])).toEqual([
      ['acme', true, 'v11.16.2', undefined],
      ['my-daemon.2', true, undefined, undefined],
      ['idle', false, undefined, undefined],
      ['dead', false, undefined, -97],
      ['lost', false, undefined, -15],
    ]);
    expect(report).toMatchObject({ diagnostics: { unparsed: 0 } });
  });

  it.each([
    ['lmgrd is not running: Cannot connect to license server system. (-15,570:111 "Connection refused")', -15, 570],
    ['lmgrd is not running: License server machine is down or not responding. (-96,7:2 "No such file")', -96, 7],
    ['Error getting status: Cannot read data from license server system. (-16,287)', -16, 287],
    ['Error getting status: Cannot find license file. (-1,359:2 "No such file or directory")', -1, 359],
    ['FlexNet Licensing error:-15,570.  System Error: 115 "Operation now in progress"', -15, 570],
    ['FLEXlm error: -1,359.', -1, 359],
    ['lmgrd is not running: something else', undefined, undefined],
  ])('fail with "%s"', (line, code, detail) => {
    const report = parse(`${TITLE}\n${line}\n`);
    expect(report.errors).toEqual([{ code, detail, servers: '' }]);
    expect(report.diagnostics.unparsed).toBe(0);
  });
});

describe('features', () => {
  it.each([
    ['Users of a:  (Total of 2 licenses issued;  Total of 1 license in use)', 'a', 'counted', 2, 1],
    ['Users of a: (Total of 1 license issued;   Total of 0 licenses in use)', 'a', 'counted', 1, 0],
    [
      '  Users of a b:c(d):      (Total of 8 licenses issued;  Total of 8 licenses in use)',
      'a b:c(d)',
      'counted',
      8,
      8,
    ],
    ['Users of x:  (y):  (Total of 3 licenses issued;  Total of 2 licenses in use)', 'x:  (y)', 'counted', 3, 2],
    ['Users of old:  (Total of 4 licenses available)', 'old', 'counted', 4, undefined],
    ['Users of a%b-2.0+:  (Uncounted, node-locked)', 'a%b-2.0+', 'uncounted', undefined, undefined],
    ['Users of a:  (Error: 1 license, unsupported by licensed server)', 'a', 'unsupported', 1, undefined],
    ['Users of a: Cannot get users of a: No such feature exists. (-5,222)', 'a', 'error', -5, undefined],
    ['Users of a:b: Cannot get users of a:b: No socket connection (-7,10015)', 'a:b', 'error', -7, undefined],
  ])('are counted, or not, by "%s"', (line, name, kind, first, second) => {
    const report = parse(`${HEAD}\n${line}\n`);
    const supply = report.features[0]?.supply;
    expect(report.diagnostics.unparsed).toBe(0);
    expect(report.features.map((one) => [one.name, one.supply.kind])).toEqual([[name, kind]]);
    if (supply?.kind === 'counted') expect([supply.issued, supply.inUse]).toEqual([first, second]);
    if (supply?.kind === 'unsupported') expect(supply.licenses).toBe(first);
    if (supply?.kind === 'error') expect(supply.error.code).toBe(first);
  });

  it('end where a line is not understood, so that its users do not belong to the feature before', () => {
    const report = parse(`${HEAD}${feature('solver', 5, 0)}\nUsers of other:  (Something new)\n${user}`);
    expect(report.features.map(({ pools }) => pools.flatMap(({ checkouts }) => checkouts))).toEqual([[]]);
    expect(report.diagnostics).toMatchObject({ unparsed: 2, masks: ['a a a: (a a)', expect.any(String)] });
  });

  it.each([
    ['  "solver" v53, vendor: acme, expiry: 1-jan-2030', { version: '53', vendor: 'acme', expires: 1893542399 }],
    ['"solver" v4.1, vendor: acme, expiry: permanent(no expiration date)', { expires: undefined }],
    ['"solver" v4.1, vendor: acme, expiry: 01-JAN-0000', { expires: undefined }],
    ['"solver" v4.1, vendor: acme, expiry: 1-jan-0', { expires: undefined }],
    ['"solver" v4.1, vendor: acme, expiry: soon', { expires: 'unknown' }],
    ['"solver" v4.1, vendor: acme', { vendor: 'acme', expires: 'unknown' }],
    ['"solver" v2024.0601', { version: '2024.0601', vendor: undefined, expires: 'unknown' }],
    ['"sol"v"er" v1.0, expiry: 1-jan-2030, vendor: acme', { feature: 'sol"v"er', vendor: 'acme', expires: 1893542399 }],
  ])('have a pool by %s', (line, expected) => {
    const report = parse(
      `${HEAD}\nUsers of solver:  (Total of 2 licenses issued;  Total of 1 license in use)\n${line}\n`,
    );
    expect(report.diagnostics.unparsed).toBe(0);
    expect(report.features[0]?.pools).toMatchObject([{ feature: 'solver', ...expected }]);
  });

  it.each([
    ['floating license', 'floating'],
    ['nodelocked license, locked to "ID=1 2"', 'node-locked'],
    ['node-locked license locked to ANY', 'node-locked'],
    ['uncounted nodelocked license locked to NOTHING (hostid=ANY)', 'uncounted'],
    ['UNCOUNTED license', 'uncounted'],
  ])('have the type of "%s"', (line, licenseType) => {
    const report = parse(`${HEAD}\nUsers of a:  (Uncounted, node-locked)\n  "a" v1, vendor: acme\n  ${line}\n`);
    expect(report.features[0]?.pools).toMatchObject([{ licenseType }]);
    expect(report.diagnostics.unparsed).toBe(0);
  });

  it('have several pools with their own reservations and users', () => {
    const report = parse(`${HEAD}
Users of solver:  (Total of 12 licenses issued;  Total of 5 licenses in use)

  "solver" v12, vendor: acme, expiry: 01-jan-0000
  nodelocked license, locked to "ID=7"

\t3 RESERVATIONs for GROUP my group (x) (lic1/27000)
\t1 RESERVATION for HOST_GROUP hosts ([fe80::1]/27000 9)

  "solver" v53, vendor: acme, expiry: 01-jan-2099
  vendor_string: floating license, 5 licenses (v1) (a/b 1), start Tue 3/17 9:05
  floating license

${user}`);
    expect(report.features[0]?.pools).toMatchObject([
      {
        version: '12',
        licenseType: 'node-locked',
        checkouts: [],
        reservations: [
          { licenses: 3, kind: 'GROUP', holder: 'my group (x)' },
          { licenses: 1, kind: 'HOST_GROUP', holder: 'hosts' },
        ],
      },
      { version: '53', licenseType: 'floating', reservations: [], checkouts: [{ user: 'ada' }] },
    ]);
    expect(report.diagnostics.unparsed).toBe(0);
  });

  it('can have users without any pool head', () => {
    const report = parse(`${HEAD}\nUsers of a:  (Total of 4 licenses available)\n\n${user}`);
    expect(report.features[0]?.pools).toMatchObject([{ feature: undefined, version: undefined, expires: 'unknown' }]);
    expect(checkoutsOf(report)).toMatchObject([{ user: 'ada' }]);
  });

  it('remember the daemons that were listed last before them', () => {
    const used = (name: string): string =>
      `Users of ${name}:  (Total of 1 license issued;  Total of 0 licenses in use)\n`;
    const text = `${TITLE}\n${SERVER}
Vendor daemon status (on lic1):
   one: UP v11
Feature usage info:
${used('a')}
   two: UP v11
${used('b')}
   three: UP v11
Feature usage info:
   four: UP v11
   five: The desired vendor daemon is down. (-97,121)
Feature usage info:
${used('c')}
Users of features served by six:
${used('d')}`;
    expect(parse(text).features.map(({ name, listedDaemons }) => [name, listedDaemons])).toEqual([
      ['a', ['one']],
      ['b', ['two']],
      ['c', ['four', 'five']],
      ['d', ['six']],
    ]);
    expect(parse(text).diagnostics.unparsed).toBe(0);
  });
});

describe('other lines', () => {
  it('are known noise', () => {
    const report = parse(`lmstat v11.14.0.1 build 188735 x64_lsb
lmutil-2 - Copyright (c) 1989-2005 Macrovision Europe Ltd. and/or Macrovision Corporation. All Rights Reserved.
[Detecting lmgrd processes...]
----------------------------------------------------------------------------
NOTE: lmstat -i does not give information from the server,
      but only reads the license file.  For this reason,
      lmstat -a is recommended instead.
Feature                         Version     #licenses    Expires      Vendor
_______                         _________   _________    __________   ______
solver                          4.2         5            1-jan-2030   acme
`);
    expect(report.diagnostics).toMatchObject({ unparsed: 0, masks: [] });
  });

  it('are counted, with a mask that names nobody', () => {
    const report = parse(`${HEAD}${feature('solver', 5, 1, 'ada pc-1 :0 (v4.0) lic1/27000 12, begin Tue 3/17')}`);
    expect(report.diagnostics).toEqual(
      expect.objectContaining({ unparsed: 1, masks: ['a a-9 :9 (a9.9) a9/9 9, a a 9/9'] }),
    );
  });

  it('can be lists of license files of any length, up to an empty line', () => {
    const list = 'D:\\a.lic:'.repeat(1000);
    const report = parse(`${TITLE}\n    License file(s) on lic1: ${list}\n${list}\nmore.lic:\n\nodd\n`);
    expect(report.diagnostics).toMatchObject({ unparsed: 1, masks: ['a'] });
  });

  it.each([
    ['a list of license files', (long: string) => `${TITLE}\n    License file(s) on lic1: ${long}\n\n`],
    ['the list after its heading', (long: string) => `${TITLE}\n    License file(s) on lic1: a.lic:\n${long}\n\n`],
    ['a line that begins as one without meaning', (long: string) => `${HEAD}Copyright (c) 1989-2020 ${long}\n`],
  ])('are not %s if it is longer than any', (_, text) => {
    expect(parse(text('a'.repeat(9000))).diagnostics.unparsed).toBe(0);
    expect(parse(text('a'.repeat(200_000))).diagnostics.unparsed).toBe(1);
  });

  it('can be too long', () => {
    const report = parse(`${HEAD}${feature('solver', 5, 1, `${'x '.repeat(4096)}(v4.0) (lic1/27000 12)`)}`);
    expect(report.features[0]?.pools.flatMap(({ checkouts }) => checkouts)).toEqual([]);
    expect(report.diagnostics.unparsed).toBe(1);
  });
});

describe('the form of the text', () => {
  const plain = HEAD + feature('solver', 5, 1, user.trim()) + feature('mesher', 5, 0);

  it.each([
    ['CRLF', plain.replaceAll('\n', '\r\n')],
    ['empty lines between all lines', plain.replaceAll('\n', '\n\n')],
    ['control characters', plain.replaceAll('e', 'e\u0000\u001b')],
    ['form feeds', plain.replaceAll('\n', '\n\f')],
    ['tabs and blanks at the end', plain.replaceAll('\n', ' \t\n')],
    ['a byte order mark', `\ufeff${plain}`],
  ])('can have %s', (_, text) => {
    const [expected, found] = [parse(plain), parse(text)];
    expect(found.features).toEqual(expected.features);
    expect(found.members).toEqual(expected.members);
    expect(found.daemons).toEqual(expected.daemons);
    expect(found.diagnostics.unparsed).toBe(0);
  });

  it('is read in the zone of the tool', () => {
    expect(parse(plain, { localTime: { ...context.localTime } }).referenceTime).toBe(NOW);
    expect(parse('Flexible License Manager status on Wed 2/30/2026 10:30\n').referenceTime).toBeUndefined();
    expect(parse(DAEMON).referenceTime).toBeUndefined();
  });

  it('can be the outputs of two runs, each with its own reference time', () => {
    const other = (HEAD + feature('old', 5, 1, user.trim())).replace('3/18/2026', '3/18/2020');
    expect(checkoutsOf(parse(other + plain)).map(({ since }) => since)).toEqual(
      [2020, 2026].map((year) => Date.UTC(year, 2, 17, 9, 5) / 1000),
    );
  });

  it('does not matter for large outputs: names at the borders of blocks are whole', () => {
    const lines = Array.from(
      { length: 3000 },
      (_, at) => `user-${at} host-number-${at % 500}.example.com :0 (v4.0) (lic1/27000 ${at}), start Tue 3/17 9:05`,
    );
    const checkouts = checkoutsOf(parse(HEAD + feature('solver', 5000, 3000, ...lines)));
    expect(checkouts.map(({ user: name, host, handle }) => [name, host, handle])).toEqual(
      lines.map((_, at) => [`user-${at}`, `host-number-${at % 500}.example.com`, `${at}`]),
    );
  });
});
