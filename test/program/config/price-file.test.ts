import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/program/config/load.ts';
import { readPriceFile } from '../../../src/program/config/price-file.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { createCleanup } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-prices-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** What a file says, and its problems as they are printed. */
function readFrom(name: string, content: string | Buffer) {
  const folder = folderWith({ [name]: content });
  const { entries, problems } = readPriceFile(join(folder, name));
  const messages = problems.length === 0 ? [] : new ConfigError(problems).message.split('\n');
  return { entries, messages: messages.map((message) => message.replaceAll(`${folder}/`, '')) };
}

const cad = {
  vendorLicense: 'lic01;cadd',
  feature: 'solver',
  package: 'suite',
  price: 1250.5,
  currency: 'EUR',
  per: 'month',
  renewal: Date.UTC(2027, 2, 1) / 86_400_000,
  noticeDays: 90,
  note: 'frame contract; 2027',
};
const others = {
  vendorLicense: 'lic02;%',
  feature: '%',
  package: '%',
  price: 800,
  currency: 'USD',
  per: 'year',
  renewal: undefined,
  noticeDays: undefined,
  note: '',
};

describe('a file of prices', () => {
  it.each([
    [
      'prices.csv',
      'vendor_license,feature,package,price,currency,per,renewal,notice_days,note\nlic01;cadd,solver,suite,1250.50,EUR,month,2027-03-01,90,frame contract; 2027\nlic02;%,,,800,USD,,,,\n',
    ],
    // as a spreadsheet writes it where a comma is the decimal sign
    [
      'PRICES.CSV',
      '\uFEFFvendor_license;feature;package;price;currency;per;renewal;notice_days;note\r\n"lic01;cadd";solver;suite;1250.50;EUR;month;2027-03-01;90;"frame contract; 2027"\r\n"lic02;%";;;800;USD;;;;\r\n',
    ],
    [
      'prices.yml',
      `prices:
  - {vendor_license: lic01;cadd, feature: solver, package: suite, price: 1250.50, currency: EUR, per: month, renewal: 2027-03-01, notice_days: 90, note: frame contract; 2027}
  - {vendor_license: lic02;%, price: '800', currency: USD, renewal: }`,
    ],
    [
      'prices.json',
      JSON.stringify([
        {
          vendor_license: 'lic01;cadd',
          feature: 'solver',
          package: 'suite',
          price: 1250.5,
          currency: 'EUR',
          per: 'month',
          renewal: '2027-03-01',
          notice_days: 90,
          note: 'frame contract; 2027',
        },
        { vendor_license: 'lic02;%', price: 800, currency: 'USD' },
      ]),
    ],
  ])('%s is read', (name, content) => {
    expect(readFrom(name, content)).toEqual({ entries: [cad, others], messages: [] });
  });

  const header = 'vendor_license,feature,price,currency,per,renewal\n';
  const bad = 'is not a number; write it with a point and without separators, for example 1250.50';
  it.each<[name: string, content: string | Buffer, ...messages: string[]]>([
    [
      'prices.txt',
      header,
      'prices.txt: the type of the file is not known; its name must end with .csv, .yml, .yaml, .json',
    ],
    [
      'prices.csv',
      '',
      'prices.csv: the file is empty; its first line names the columns, for example vendor_license,feature,price,currency',
    ],
    ['prices.yml', '# none\n', 'prices.yml: the file is empty; write [] for no prices'],
    [
      'prices.csv',
      'vendor_license\tprice\n',
      'prices.csv:1: has one column; separate the columns by commas or semicolons, for example vendor_license,feature,price,currency',
    ],
    [
      'prices.csv',
      'vendor_license,prize,price,currency,discount\nx,1,1,EUR,1\n',
      'prices.csv:1: prize: is an unknown column; did you mean price?',
      'prices.csv:1: discount: is an unknown column; valid are vendor_license, feature, package, price, currency, per, renewal, notice_days, note',
    ],
    [
      'prices.csv',
      'vendor_license,feature,price\n',
      'prices.csv:1: currency: is required: the first line names the columns, for example vendor_license,feature,price,currency',
    ],
    [
      'prices.csv',
      `${header}a,f,-5,EUR,,\nb,f,"1,5",EUR,,\nc,f,1.250.00,EUR,,\nd,f,Infinity,EUR,,\ne,f,,EUR,,\n,f,1,EUR,,\n`,
      'prices.csv:2: price: is negative',
      `prices.csv:3: price: ${bad}`,
      `prices.csv:4: price: ${bad}`,
      `prices.csv:5: price: ${bad}`,
      'prices.csv:6: price: is required',
      'prices.csv:7: vendor_license: is empty; write % for all vendor licenses',
    ],
    [
      'prices.csv',
      `${header}a,f,1,Euro,,\nb,f,1,eur,,\nc,f,1,EUR,week,\nd,f,1,EUR,,01.03.2027\ne,f,1,EUR,,2027-02-30\n*,f,1,EUR,,\n`,
      'prices.csv:2: currency: is not a currency of ISO 4217 in capital letters, such as EUR',
      'prices.csv:3: currency: is not a currency of ISO 4217 in capital letters, such as EUR',
      'prices.csv:4: per: "week" is not one of year, month, once',
      'prices.csv:5: renewal: is not a date such as 2027-03-01',
      'prices.csv:6: renewal: is not a date such as 2027-03-01',
      'prices.csv:7: vendor_license: is *, but the wildcard of prices is %',
    ],
    [
      'prices.csv',
      `${header}lic;d,f,1,EUR,,\nlic;d,f2,1,EUR,,\nLIC;d,f,2,EUR,,\n`,
      'prices.csv:4: has the same vendor_license, feature and package as prices.csv:2; remove one of them',
    ],
    [
      'prices.csv',
      `${header}lic;d,f,1,EUR,,,too many\n`,
      'prices.csv:2: has 7 values for 6 columns; put a value with a comma in quotes',
    ],
    [
      'prices.csv',
      'vendor_license;price;currency\nlic01;cadd;800;EUR\n',
      'prices.csv:2: has 4 values for 3 columns; put a value with a semicolon in quotes',
    ],
    [
      'prices.csv',
      'vendor_license;price;currency\n"lic01;cadd",800;EUR\n',
      'prices.csv:2: a semicolon is missing after a value in quotes',
    ],
    [
      'prices.csv',
      Buffer.from(`${header}M\xfcller;d,f,1,EUR,,\n`, 'latin1'),
      'prices.csv: the file is not UTF-8 from line 2 on; save it in UTF-8',
    ],
    [
      'prices.yml',
      `- {vendor_license: a, price: '12,5', currency: EUR}
- {vendor_license: b, price: -1, currency: EUR}
- {vendor_license: c, price: 1, curency: EUR}
- {price: 1, currency: EUR}
- {vendor_license: d, price: .inf, currency: EUR}`,
      `prices.yml:1: prices[0].price: ${bad}`,
      'prices.yml:2: prices[1].price: is negative',
      'prices.yml:3: prices[2].curency: unknown setting, did you mean currency?',
      'prices.yml:4: prices[3].vendor_license: is required',
      `prices.yml:5: prices[4].price: ${bad}`,
    ],
    [
      'prices.yml',
      'prices:\n  - {vendor_license: a, price: 1, currency: EUR}\n  - {vendor_license: a, price: 2, currency: EUR}\n',
      'prices.yml:3: has the same vendor_license, feature and package as prices.yml:2; remove one of them',
    ],
  ])('%s with mistakes: %j', (name, content, ...messages) => {
    expect(readFrom(name, content).messages).toEqual(messages);
  });

  it('is part of the configuration, with its problems', () => {
    const folder = folderWith({
      'c.yml': 'rightsizing: {price_file: prices.csv}\n',
      'prices.csv': `${header}a,f,1,EUR,,\nb,f,x,EUR,,\n`,
      'missing.yml': 'rightsizing: {price_file: nothing.csv}\n',
    });
    const load = (name: string) => () =>
      loadConfig({ configFile: join(folder, name), flags: new Map(), env: {}, requireAnalyzer: false });
    expect(load('c.yml')).toThrow(`${folder}/prices.csv:3: price: ${bad}`);
    expect(load('missing.yml')).toThrow(/missing\.yml:1: rightsizing\.price_file: .*nothing\.csv does not exist/);
    writeFileSync(join(folder, 'prices.csv'), `${header}a,f,1,EUR,,\n`);
    expect(load('c.yml')().prices.entries).toHaveLength(1);
  });
});
