import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseServer, serverText } from '../../../src/base/model/license-server.ts';

const host = fc.oneof(fc.constantFrom('lica', 'LIC_1.example.com', '10.0.0.7', '::1', '2001:db8::27'), fc.ipV6());
const port = fc.integer({ min: 1, max: 65_535 });

describe('a license server as a text', () => {
  it('names the manager, the port, the host and of RLM the ISV', () => {
    expect(serverText({ manager: 'flexnet', host: 'lica', port: 27_000 })).toBe('flexnet:27000@lica');
    expect(serverText({ manager: 'rlm', host: 'licb', port: 5053, isv: 'foundry' })).toBe('rlm:5053@licb/foundry');
  });

  it('is read as it was written', () => {
    const server = fc.oneof(
      fc.record({ manager: fc.constant('flexnet' as const), host, port }),
      fc.record({ manager: fc.constant('rlm' as const), host, port, isv: fc.constantFrom('foundry', 'isv_2', '3d') }),
    );
    fc.assert(
      fc.property(server, (one) => {
        expect(parseServer(serverText(one))).toEqual(one);
      }),
    );
  });

  it.each([
    '',
    'lica',
    '27000@lica',
    'flexnet:27000',
    'flexnet:@lica',
    'flexnet:27000@',
    'flexnet:0@lica',
    'flexnet:027000@lica',
    'flexnet:65536@lica',
    'flexnet:-1@lica',
    'flexnet:27000@lica/cdslmd',
    'flexnet:27000@lica\n',
    'flexnet:27000@lica lm',
    'flexnet:27000@-c',
    'flexnet:27000@.lica',
    'flexnet:27000@lica;id',
    'flexnet:27000@$(id)',
    'flexnet:27000@fe80::1%eth0',
    'flexnet:27000@[::1]',
    'flexnet:27000@1::2::3',
    `flexnet:27000@${'l'.repeat(254)}`,
    'FLEXNET:27000@lica',
    'rlm:5053@licb',
    'rlm:5053@licb/',
    'rlm:5053@licb/-x',
    'rlm:5053@licb/a/b',
    'rlm:5053@licb/a b',
    'rlm:99999@licb/a',
    'lmx:6200@lica',
  ])('is refused: %j', (text) => {
    expect(parseServer(text)).toBeUndefined();
  });
});
