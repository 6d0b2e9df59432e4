import { describe, expect, it } from 'vitest';
import { parseLmstatInventory } from '../../../../src/analyzer/sources/flexnet/lmstat-inventory.ts';
import { feature, HEAD, utc } from './samples.ts';

const read = (text: string) => parseLmstatInventory(text, { localTime: utc });

const NOTE = `lmutil - Copyright (c) 1989-2025 Flexera. All Rights Reserved.
Flexible License Manager status on Wed 3/18/2026 10:30

NOTE: lmstat -i does not give information from the server,
      but only reads the license file.  For this reason,
      lmstat -a is recommended instead.

`;

describe('the table of lmstat -i', () => {
  const rows = [
    { feature: 'solver', version: '4.2', count: 5, daemon: 'acme', expires: 1893542399, licenseType: 'floating' },
    {
      feature: 'a/b:c"',
      version: '2024.06',
      count: Infinity,
      daemon: 'acme',
      expires: undefined,
      licenseType: 'uncounted',
    },
    { feature: 'solver', version: '4.3', count: 1, daemon: 'zeta', expires: undefined, licenseType: 'floating' },
  ].map((row) => ({ ...row, featureType: 'feature' }));

  it('is read with the expiry before the vendor', () => {
    const { supply, diagnostics } = read(`${NOTE}Feature      Version     #licenses    Expires      Vendor
_______      _________   _________    __________   ______
solver       4.2         5            1-jan-2030   acme
a/b:c"       2024.06     0            permanent(no expiration date)  acme
solver       4.3         1            01-jan-0000  zeta
`);
    expect(supply).toEqual(rows);
    expect(diagnostics.unparsed).toBe(0);
  });

  it('is read with the vendor before the expiry', () => {
    const { supply, diagnostics } = read(`${NOTE}Feature      Version     #licenses    Vendor    Expires
_______      _________   _________    ______    __________
solver       4.2         5            acme      1-jan-2030
a/b:c"       2024.06     uncounted    acme      permanent(no expiration date)
solver       4.3         1            zeta      1-jan-0
`);
    expect(supply).toEqual(rows);
    expect(diagnostics.unparsed).toBe(0);
  });

  it('can have another column', () => {
    const { supply } = read(
      'Expires Hostid Feature Version #licenses Vendor\npermanent (no date) ANY solver 4.2 5 acme\n',
    );
    expect(supply).toMatchObject([{ feature: 'solver', version: '4.2', count: 5, daemon: 'acme', expires: undefined }]);
  });

  it('counts rows that it does not understand', () => {
    const { supply, diagnostics } = read(`${NOTE}Feature  Version  #licenses  Expires  Vendor
solver 4.2 5 1-jan-2030
solver 4.2 many 1-jan-2030 acme
solver 4.2 5 tomorrow acme
`);
    expect(supply).toEqual([]);
    expect(diagnostics).toMatchObject({ unparsed: 3 });
  });

  it('is found before and after other reports, which are not counted', () => {
    const table = 'Feature  Version  #licenses  Expires  Vendor\nsolver 4.2 5 1-jan-2030 acme\n';
    const usage = HEAD + feature('solver', 5, 0);
    expect(read(`${usage}\n${table}`)).toMatchObject({ supply: [{ feature: 'solver' }], diagnostics: { unparsed: 0 } });
    expect(read(`${table}\n${usage}`)).toMatchObject({ supply: [{ feature: 'solver' }], diagnostics: { unparsed: 0 } });
    expect(read(usage)).toMatchObject({ supply: [], diagnostics: { unparsed: 0 } });
  });
});
