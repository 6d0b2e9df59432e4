import { describe, expect, it } from 'vitest';
import { exitCodeFailure } from '../../../../src/analyzer/sources/flexnet/lmstat-problems.ts';
import { DAEMON, failureOf, feature, HEAD, NOW, observe, SERVER, settings, TITLE } from './samples.ts';

const triad = (...states: readonly string[]): string =>
  `${TITLE}
License server status: 27000@lic1,27000@lic2,27000@lic3
    License file(s) on lic1: /opt/a.lic:

${states.map((state, at) => `lic${at + 1}: ${state}`).join('\n')}
`;
const UP = 'license server UP v11.19.6';
const MASTER = 'license server UP (MASTER) v11.19.6';
const LOST = 'Cannot connect to license server system. (-15,570:115 "Operation now in progress")';
const three = { ...settings, servers: ['27000@lic1', '27000@lic2', '27000@lic3'] };

describe('an output without data', () => {
  it.each([
    ['lmgrd is not running: Cannot connect to license server system. (-15,570:111 "x")', 'unreachable', 'lmgrd runs'],
    ['lmgrd is not running: License server machine is down. (-96,7:2 "x")', 'unreachable', 'does not resolve here'],
    ['Error getting status: Cannot find SERVER hostname. (-14,7)', 'unreachable', '/etc/hosts'],
    ['Error getting status: Cannot read data from license server system. (-16,287)', 'protocol', 'flexnetls'],
    ['Error getting status: Cannot read data. (-16,10009)', 'protocol', 'an lmutil as new'],
    ['Error getting status: You are not a license administrator. (-63,294)', 'refused', 'administrator'],
    ['Error getting status: The desired vendor daemon is down. (-97,121)', 'daemon_down', 'Start it'],
    ['Error getting status: Cannot find license file. (-1,359:2 "x")', 'exit', 'found no license file'],
    ['Error getting status: Odd. (-999,1)', 'exit', '-999,1'],
    ['lmgrd is not running', 'exit', 'Run lmstat by hand'],
  ])('fails with "%s"', (line, kind, remedy) => {
    const failure = failureOf(`${TITLE}\n${line}\n`, {
      output: { at: NOW, isCommand: true, exit: { code: 0, stderr: '' } },
    });
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain('27000@lic1.example.com');
    expect(failure.message).toContain(remedy);
  });

  it('fails when the server is up, but lists nothing', () => {
    expect(failureOf(`${TITLE}\n${SERVER}\n${DAEMON}`)).toMatchObject({ kind: 'empty' });
    expect(failureOf(`${HEAD}\nUsers of a: Cannot get users of a: No such feature exists. (-5,222)\n`).kind).toBe(
      'empty',
    );
    expect(failureOf(`${HEAD}\nUsers of a: Cannot get users of a: No socket connection (-7,10015)\n`).kind).toBe(
      'unreachable',
    );
  });

  it('fails when it is something else', () => {
    expect(failureOf('')).toMatchObject({ kind: 'unparsed' });
    expect(failureOf('bash: lmutil: command not found\n')).toMatchObject({ kind: 'unparsed' });
    expect(failureOf(TITLE)).toMatchObject({ kind: 'unparsed' });
  });

  it('fails when redundant servers have no majority, or none answers', () => {
    const quorum = failureOf(triad(UP, LOST, LOST), { settings: three });
    expect(quorum).toMatchObject({ kind: 'no_quorum', message: expect.stringContaining('lic2, lic3') });
    expect(failureOf(triad(LOST, LOST, LOST), { settings: three })).toMatchObject({ kind: 'unreachable' });
  });

  it('is explained by the exit code if it says nothing', () => {
    const kindOf = (code: number, stderr = ''): string =>
      failureOf('', { output: { at: NOW, isCommand: true, exit: { code, stderr } } }).kind;
    expect([241, 160, 159, 240, 193, 1, 137].map((code) => kindOf(code))).toEqual([
      'unreachable',
      'unreachable',
      'daemon_down',
      'protocol',
      'refused',
      'exit',
      'exit',
    ]);
    expect(kindOf(0)).toBe('unparsed');
    expect(kindOf(1, 'odd\nError getting status: Cannot read data. (-16,287)\n')).toBe('protocol');
  });

  it('is not explained by an exit code that says nothing', () => {
    expect(exitCodeFailure({ code: 0, stderr: 'warning' }, '1@a')).toBeUndefined();
    expect(exitCodeFailure({ code: undefined, stderr: '' }, '1@a')).toBeUndefined();
    expect(exitCodeFailure({ code: 241, stderr: '' }, '1@a')?.message).toContain('(FlexNet error -15)');
  });
});

describe('an output with data', () => {
  const data = `\n${DAEMON}${feature('solver', 5, 0)}`;

  it('is good, also with another exit code', () => {
    const output = { at: NOW, isCommand: true, exit: { code: 241, stderr: 'Error getting status (-15,570)' } };
    expect(observe(HEAD + feature('solver', 5, 0), { output }).problems).toEqual([]);
  });

  it('reports redundant servers that are down', () => {
    const { members, problems } = observe(triad(LOST, UP, MASTER) + data, { settings: three });
    expect(members).toEqual([
      { server: '27000@lic1', up: false, isMaster: false },
      { server: '27000@lic2', up: true, isMaster: false },
      { server: '27000@lic3', up: true, isMaster: true },
    ]);
    expect(problems).toMatchObject([{ kind: 'unreachable', message: expect.stringContaining('lic1 cannot') }]);
    expect(observe(triad(UP, UP, MASTER) + data, { settings: three }).problems).toEqual([]);
  });

  it('without a majority of redundant servers is a failure: none of them serves what is listed', () => {
    for (const text of [triad(LOST, LOST, MASTER) + data, triad(LOST, LOST, LOST) + data]) {
      expect(() => observe(text, { settings: three })).toThrow(expect.objectContaining({ kind: 'no_quorum' }));
    }
    // the third one is configured, and not in the output
    expect(() => observe(triad(LOST, LOST) + data, { settings: three })).toThrow(
      expect.objectContaining({ kind: 'no_quorum' }),
    );
  });

  it('names members as they are configured', () => {
    const membersOf = (...servers: string[]): string[] =>
      observe(triad(UP, UP, MASTER) + data, { settings: { ...settings, servers } }).members.map(({ server }) => server);
    expect(membersOf('27000@lic3.example.com')).toEqual(['27000@lic3.example.com']);
    expect(membersOf('27000@LIC2', '27000@lic9')).toEqual(['27000@LIC2']);
    expect(membersOf('1@10.0.0.1', '1@10.0.0.2', '1@10.0.0.3')).toEqual(['1@10.0.0.1', '1@10.0.0.2', '1@10.0.0.3']);
  });

  it('takes a host that stands twice for one server', () => {
    const text = `${TITLE}\n${SERVER}LIC1: license server UP v11.19.6\n${data}`;
    const { members, problems } = observe(text);
    expect(members).toEqual([{ server: '27000@lic1.example.com', up: true, isMaster: true }]);
    expect(problems).toEqual([]);
  });

  it('reports features that could not be read', () => {
    const text = `${HEAD}${feature('solver', 5, 0)}
Users of a: Cannot get users of a: No socket connection to license server manager (-7,10015)
Users of b: Cannot get users of b: No socket connection to license server manager (-7,10015)
Users of c: Cannot get users of c: No such feature exists. (-5,222)
`;
    expect(observe(text).problems).toMatchObject([
      { kind: 'unreachable', message: expect.stringContaining('Features could not be read (2)') },
    ]);
  });

  it('reports other servers, which are not shown', () => {
    const text = `${HEAD}${feature('solver', 5, 0)}\n${SERVER.replaceAll('lic1', 'lic7')}${data}`;
    const { problems, vendorLicenses } = observe(text);
    expect(problems).toMatchObject([
      { kind: 'unparsed', message: expect.stringContaining('27000@lic7, which are not') },
    ]);
    expect(vendorLicenses[0]?.pools).toMatchObject([{ feature: 'solver', increments: [{ count: 5 }] }]);
  });

  it('withholds times if the clock of a tool that runs here differs', () => {
    const checkout = 'ada pc-1 :0 (v4.0) (lic1/27000 1204), start Tue 3/17 9:05';
    const text = HEAD + feature('solver', 5, 1, checkout);
    const sinceAt = (at: number, isCommand: boolean) => {
      const { problems, referenceTime, vendorLicenses } = observe(text, { output: { at, isCommand } });
      const since = vendorLicenses[0]?.pools[0]?.checkouts[0]?.since;
      return [problems.map(({ kind }) => kind), referenceTime, since];
    };
    const since = Date.UTC(2026, 2, 17, 9, 5) / 1000;
    expect(sinceAt(NOW + 300, true)).toEqual([[], NOW, since]);
    expect(sinceAt(NOW + 301, true)).toEqual([['clock'], undefined, undefined]);
    expect(sinceAt(NOW - 301, true)).toEqual([['clock'], undefined, undefined]);
    // the license server works
    expect(observe(text, { output: { at: NOW - 301, isCommand: true } }).problems).toMatchObject([{ isMinor: true }]);
    expect(sinceAt(NOW + 86_400, false)).toEqual([[], NOW, since]);
  });
});
