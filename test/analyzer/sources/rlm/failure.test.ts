import { describe, expect, it } from 'vitest';
import { failureOf, head, isv, server } from './reading.ts';

const banner = 'rlmutil v15.1\nCopyright (C) 2006-2022, Reprise Software, Inc. All rights reserved.\n\n\n';
const pool = '	paint v3.1\n		count: 5, # reservations: 0, inuse: 0, exp: permanent';

describe('an output without data', () => {
  it.each([
    [
      'a server that does not answer',
      `${banner}Error connecting to "rlm" server\n\nConnection refused\n`,
      'unreachable',
      'firewall',
    ],
    ['an ISV server asked alone', `${banner}Error connecting to "acme" server\n`, 'unreachable', 'firewall'],
    [
      'a host without address',
      `${banner}Error connecting to "rlm" server\n\nBad server hostname\n`,
      'unreachable',
      'DNS',
    ],
    ['a client that may not ask', `${banner}Status request: not authorized\n`, 'refused', 'options file'],
    [
      "FlexNet's debug log, which has refusals of its own",
      '10:00:00 (lmgrd) TIMESTAMP 11/18/2026\n10:01:02 (vend) DENIED: "cad" anna@ws1  (User/host not authorized. (-16,1))\n',
      'unparsed',
      'is not that of "rlmutil rlmstat -a"',
    ],
    ['a tool without server', `${banner}No license file found\n`, 'unparsed', `-c ${server}`],
    [
      'FlexNet',
      'lmstat - Copyright (c) 1989-2022 Flexera.\nFlexible License Manager status on Fri 1/2/2026 3:04\n',
      'unparsed',
      'manager: flexnet',
    ],
    ['nothing', '', 'unparsed', 'is empty'],
    ['white space', ' \r\n\t\n', 'unparsed', 'is empty'],
    ['a web page', '<html><body>502 Bad Gateway</body></html>', 'unparsed', 'looks like "<a><a>9 a a</a></a>"'],
    ['a tool that only says its name', banner, 'unparsed', 'rlmutil rlmstat -a'],
    ['a server without ISV', head(), 'empty', 'serves no ISV'],
    ['a server without pools', head('	acme 49152 Yes 0'), 'empty', 'rlmstat -a'],
    ['an ISV server without pools', head('	acme 49152 Yes 0') + isv('acme', ''), 'empty', 'rlmstat -a'],
    [
      'two servers',
      `${head('	acme 49152 Yes 0')}${isv('acme', pool)}${head().replaceAll('lic7', 'lic8')}`,
      'unparsed',
      'one source for each',
    ],
  ])('of %s is a failure with a remedy', (_, text, kind, remedy) => {
    const failure = failureOf(text);
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(remedy);
    expect(failure.message).toContain(server);
    expect(failure.message).toMatch(/\.$/);
  });

  it('has no name of a user in its message', () => {
    const usage =
      '	------------------------\n	acme license usage status on lic7 (port 1)\n\n	paint v3.1: secret.user@secret-host 1/0 at 03/02 20:41  (handle: 1)\n	secret.user@secret-host broken\n';
    expect(failureOf(banner + usage).message).not.toContain('secret');
  });
});
