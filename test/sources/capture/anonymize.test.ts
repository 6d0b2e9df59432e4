import { describe, expect, it } from 'vitest';
import { capture, captured, lmstatOf, sectionOf, withoutNames } from './captured.ts';

/** What a capture has of single lines. */

const site = (...lines: readonly string[]): string =>
  [
    'Flexible License Manager status on Fri 10/20/2017 17:02',
    'License server status: 27000@lic1.acme.example',
    'lic1: license server UP (MASTER) v11.7',
    'Vendor daemon status (on lic1):',
    '  vend: UP v11.6',
    'Users of solver:  (Total of 9 licenses issued;  Total of 3 licenses in use)',
    '  "solver" v2017.1, vendor: vend, expiry: 01-jan-2030',
    ...lines,
    '',
  ].join('\n');
const lastLines = (text: string, count: number): readonly string[] => text.trimEnd().split('\n').slice(-count);
const header = { servers: ['27000@lic1.acme.example'] };

describe('a line about a user', () => {
  it.each([
    [
      'jdoe pc7 pc7:0.0 (v17.0) (lic1/27000 104), start Fri 10/20 16:44',
      'u01 h01 h01:0.0 (v17.0) (s01/27000 104), start Fri 10/20 16:44',
    ],
    [
      'jdoe lic1 /dev/tty (v17.0) (lic1/27000 104), start Fri 10/20 16:44, 5 licenses',
      'u01 s01 /dev/tty (v17.0) (s01/27000 104), start Fri 10/20 16:44, 5 licenses',
    ],
    [
      'jdoe pc7 pc7 (v17.0) (lic1/27000 104), start Fri 10/20 16:44, PID: 45678',
      'u01 h01 h01 (v17.0) (s01/27000 104), start Fri 10/20 16:44, PID: 10000',
    ],
    [
      '"jdoe x" 10.1.2.3 (v17.0) (lic1/27000 104), start Fri 10/20 16:44 (linger: 60 / 90)',
      '"u01 u02" 192.0.2.1 (v17.0) (s01/27000 104), start Fri 10/20 16:44 (linger: 60 / 90)',
    ],
    [
      'jdoe pc7 pc7 17.0 (v17.0) (lic1/27000 104) queued for 2 licenses',
      'u01 h01 h01 17.0 (v17.0) (s01/27000 104) queued for 2 licenses',
    ],
    // what the parser does not know at the end
    [
      'jdoe pc7 pc7 (v17.0) (lic1/27000 104), start Fri 10/20 16:44, on behalf of jroe',
      'u01 h01 h01 (v17.0) (s01/27000 104), start Fri 10/20 16:44, on w01 of w02',
    ],
  ])('%s', (line, expected) => {
    expect(lastLines(captured('lmstat', site(`    ${line}`), header), 1)).toEqual([`    ${expected}`]);
  });

  it.each([
    'license',
    'in',
    'v',
    'start',
    'up',
    'UP',
    '4711',
    '7',
    'x',
    '.*',
    'a+b',
    'a$1',
    'Users',
    'queued',
    'größe',
    '日本',
  ])('has a stand-in for the user %s', (user) => {
    const text = site(`    ${user} pc7 pc7 (v17.0) (lic1/27000 104), start Fri 10/20 16:44`);
    const shown = captured('lmstat', text, header);
    expect(withoutNames(lmstatOf(shown))).toEqual(withoutNames(lmstatOf(text)));
    const [checkout] = lmstatOf(shown).features[0]?.pools[0]?.checkouts ?? [];
    if (/[\p{L}\p{N}]/u.test(user)) expect(checkout?.user).not.toBe(user);
  });
});

describe('the name of a feature or daemon', () => {
  it('is replaced everywhere if a user, host or group has it, so that it does not show who that is', () => {
    const user = (name: string): string => `    ${name} pc7 pc7 (v17.0) (lic1/27000 104), start Fri 10/20 16:44`;
    const { texts, anonymized } = capture([sectionOf('lmstat', site(user('solver'), user('vend')))], header);
    expect(anonymized.replacedNames).toBe(2);
    expect(texts[0]).not.toMatch(/solver|vend\b/);
    expect(texts[0]).toContain('Users of u02:  (Total of 9');
    expect(texts[0]).toContain('"u02" v2017.1, vendor: u01, expiry');
  });

  it('stays in lines that are not understood', () => {
    expect(lastLines(captured('lmstat', site('something of solver and vend went astray for jdoe'), header), 1)).toEqual(
      ['w01 of solver and vend w02 w03 for w04'],
    );
  });

  it('is one only if that is sure', () => {
    // the rest of a line about the user "Jane Roe" at vhost9
    const [line] = lastLines(captured('lmstat', site('"Jane Roe" vhost9'), header), 1);
    expect(line).not.toMatch(/jane|roe|host9/i);
  });
});

describe('a line that is not understood', () => {
  it.each([
    [
      'Ticket 4711 of J.Doe@pc7.acme.example: see https://wiki.acme.example/x?y=1',
      /^W\d+a? \d{4} of \S+@\S+: see \S+$/,
    ],
    [
      'hostid 00:11:22:33:44:55 at 10.20.30.40 and fe80::1',
      /^hostid 00:00:5e:00:00:\d\d at 192\.0\.2\.\d and 2001:db8::\d$/,
    ],
    [
      'ACME\\jdoe (v1.0) 3/16 8:13 (-15,570:115 "Operation now in progress")',
      /^\S+\\\S+ \(v1\.0\) 3\/16 8:13 \(-15,570:115 "Operation now in progress"\)$/,
    ],
  ])('%s', (line, expected) => {
    const shown = lastLines(captured('lmstat', site(line), header), 1)[0] ?? '';
    expect(shown).toMatch(expected);
    expect(shown).not.toMatch(/4711|doe|pc7|acme|wiki|00:11|10\.20|fe80/i);
  });

  it('has no word of the tool that is the name of a user', () => {
    const user = '    refused pc7 pc7 (v17.0) (lic1/27000 104), start Fri 10/20 16:44';
    expect(lastLines(captured('lmstat', site(user, 'the server refused the refused request'), header), 1)).toEqual([
      'the server u01 the u01 request',
    ]);
  });

  it('that is too long keeps its length, and no letter', () => {
    const long = `jdoe ${'pc7 '.repeat(2000)}`;
    const [shown = ''] = lastLines(captured('lmstat', site(`${long}.`), header), 1);
    expect([shown.length, /[^x0. ]/.test(shown)]).toEqual([long.length + 1, false]);
  });
});

describe('other inputs', () => {
  it('vendor strings are masked', () => {
    expect(captured('lmstat', site('  vendor_string: vi=0:Customer=Acme 47', '  floating license'), header)).toContain(
      '  vendor_string: xx=0:Xxxxxxxx=Xxxx 00\n  floating license',
    );
  });

  it('license files keep what licenses are counted by', () => {
    const text = [
      '# for Acme Corp, joe@acme.example',
      'SERVER lic1.acme.example 001122aabbcc 27000',
      'VENDOR vend /opt/acme/vend PORT=27001',
      'INCREMENT solver vend 53 01-jan-2099 420 0F2E3D4C5B6A HOSTID="ID=12AB" \\',
      '\tISSUED=1-jan-2020 NOTICE="Licensed to Acme \\',
      '\tCorp" ISSUER=Acme SN=4711-22 SIGN="0012 34AB CDEF" BORROW=72 SUPERSEDE',
      'FEATURE other vend 1.0 permanent uncounted HOSTID=ANY vendor_info="Jane Roe" asset_info=12ABC',
    ].join('\n');
    expect(captured('license', text)).toBe(
      [
        '#',
        'SERVER s01.n01.n02 000000xxxxxx 27000',
        'VENDOR vend /opt/n01/vend PORT=27001',
        'INCREMENT solver vend 53 01-jan-2099 420 0X0X0X0X0X0X HOSTID="XX=00XX" \\',
        '\tISSUED=1-jan-2020 NOTICE="Xxxxxxxx xx Xxxx \\',
        '\tXxxx" ISSUER=Xxxx SN=0000-00 SIGN="0000 00XX XXXX" BORROW=72 SUPERSEDE',
        'FEATURE other vend 1.0 permanent uncounted HOSTID=ANY vendor_info="Xxxx Xxx" asset_info=00XXX',
      ]
        .join('\n')
        .replaceAll('n01', captured('license', text).includes('n01a') ? 'n01a' : 'n01'),
    );
  });

  it('options files keep features and numbers', () => {
    const text = [
      '# Acme',
      'GROUP cad_team jdoe "Jane Roe" \\',
      '  acme\\jroe',
      'RESERVE 5 solver:VERSION=53 GROUP cad_team',
      'RESERVE 2 "solver SIGN=12AB" USER jdoe',
      'LINGER solver 300',
      'REPORTLOG +/var/log/acme/rep.log',
    ].join('\n');
    const { texts } = capture([sectionOf('lmstat', site()), { ...sectionOf('options', text), of: 'vend' }], header);
    expect(texts[1]?.split('\n').slice(3, 6)).toEqual([
      'RESERVE 5 solver:VERSION=53 GROUP g01_g02',
      'RESERVE 2 "solver SIGN=00XX" USER u01',
      'LINGER solver 300',
    ]);
    expect(texts[1]).not.toMatch(/acme|jane|roe|doe|cad|12AB/i);
  });

  it('debug logs keep times, features and reasons', () => {
    const text = [
      ' 8:13:04 (vend) OUT: "solver" jdoe@pc7  ',
      ' 8:13:05 (vend) DENIED: "solver" Jane Roe@pc8.acme.example  (Licensed number of users already reached. (-4,342))',
      ' 8:13:06 (vend) IN: "solver" start@pc7  (pid 45678)',
    ].join('\n');
    expect(captured('log', text).trimEnd().split('\n')).toEqual([
      ' 8:13:04 (vend) OUT: "solver" u01@h01  ',
      expect.stringMatching(
        /^ 8:13:05 \(vend\) DENIED: "solver" U\d+a? U\d+a?@h02\.n01\.n02 {2}\(Licensed number of users already reached\. \(-4,342\)\)$/,
      ),
      expect.stringMatching(/^ 8:13:06 \(vend\) IN: "solver" u\d+@h01 {2}\(pid 10000\)$/),
    ]);
  });

  it('documents keep figures, also if they are no JSON', () => {
    const text =
      '{"version":1,"vendor_licenses":[{"server":"4084@lic1.acme","daemon":"dsls","features":[{"feature":"CAD V5","count":3,"checkouts":[{"user":"J\\u00fcrgen","host":"pc7","since":1234567,"employee":47112,"note":"see jdoe"}]}]}],}';
    expect(captured('document', text)).toBe(
      '{"version":1,"vendor_licenses":[{"server":"4084@s01.n01","daemon":"dsls","features":[{"feature":"CAD V5","count":3,"checkouts":[{"user":"U01é","host":"h01","since":1234567,"w01":10000,"note":"see w02"}]}]}],}',
    );
  });

  it.each([
    ['{"user": 4711, "count": 9}', '{"user": 1000, "count": 9}'],
    ['{"kind": "daemon_down", "state": "active"}', '{"kind": "daemon_down", "state": "active"}'],
    ['{"kind": "jane_roe", "state": "jdoe"}', '{"kind": "w01_w02", "state": "w03"}'],
    ['{"user": {"name": "Jane"}, jdoe: 1}', '{"user": {"name": "W01a"}, w02: 2}'],
  ])('documents with other values: %s', (text, expected) => {
    expect(captured('document', text)).toBe(expected);
  });

  it('handles stay only if they are numbers', () => {
    const line = (handle: string): string => `    jdoe pc7 pc7 (v17.0) (lic1/27000 ${handle}), start Fri 10/20 16:44`;
    const [first = '', second = ''] = lastLines(captured('lmstat', site(line('104'), line('Ada')), header), 2);
    expect(first).toContain('27000 104)');
    expect(second).not.toContain('Ada');
  });

  it('names that are known without the texts are replaced in lines that are not understood', () => {
    const { texts } = capture([sectionOf('lmstat', site('started on license by up'))], header, [
      { name: 'license', role: 'host' },
      { name: 'up', role: 'user' },
    ]);
    expect(lastLines(texts[0] ?? '', 1)[0]).toMatch(/^started on h\d+a? by u\d+$/);
  });
});
