import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ownerKeyProblem } from '../../../src/base/settings/owners.ts';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { readOwnersFile } from '../../../src/program/config/owners-file.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { createCleanup } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-owners-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** What a file says, and its problems as they are printed. */
function readFrom(name: string, content: string | Buffer) {
  const folder = folderWith({ [name]: content });
  const { entries, problems } = readOwnersFile(join(folder, name));
  const messages = problems.length === 0 ? [] : new ConfigError(problems).message.split('\n');
  return { entries, messages: messages.map((message) => message.replace(`${folder}/`, '')) };
}

const cad = { vendorLicense: 'lic01;*', feature: '*', labels: { owner: 'cad', team: '' } };
const solver = { vendorLicense: 'lic02;cdslmd', feature: 'solver', labels: { owner: 'Müller, "Ada"', team: 'cfd' } };

describe('a file of owners', () => {
  it.each([
    ['owners.csv', 'vendor_license,feature,owner,team\nlic01;*,,cad\nlic02;cdslmd,solver,"Müller, ""Ada""",cfd\n'],
    [
      'OWNERS.CSV',
      '\uFEFF"owner", team ,vendor_license,feature\r\ncad,,lic01;*,*\r\n,,,\r\n"Müller, ""Ada""" ,cfd, lic02;cdslmd, "solver"',
    ],
    [
      'owners.yml',
      '- {vendor_license: lic01;*, owner: cad, team: }\n- {vendor_license: lic02;cdslmd, feature: solver, owner: "Müller, \\"Ada\\"", team: cfd}',
    ],
    [
      'owners.json',
      JSON.stringify({
        owners: [
          { vendor_license: 'lic01;*', owner: 'cad', team: '' },
          { vendor_license: 'lic02;cdslmd', feature: 'solver', owner: 'Müller, "Ada"', team: 'cfd' },
        ],
      }),
    ],
  ])('%s is read', (name, content) => {
    expect(readFrom(name, content)).toEqual({ entries: [cad, solver], messages: [] });
  });

  it('can have a header alone, or an empty list', () => {
    expect(readFrom('owners.csv', 'vendor_license,owner\n')).toEqual({ entries: [], messages: [] });
    expect(readFrom('owners.yaml', '[]')).toEqual({ entries: [], messages: [] });
  });

  const header = 'vendor_license,feature,owner\n';
  it.each<[name: string, content: string | Buffer, ...messages: string[]]>([
    [
      'owners.txt',
      header,
      'owners.txt: the type of the file is not known; its name must end with .csv, .yml, .yaml, .json',
    ],
    // a file that is being written can be empty for a moment
    [
      'owners.csv',
      '',
      'owners.csv: the file is empty; its first line names the columns, for example vendor_license,feature,owner',
    ],
    ['owners.yml', '# nobody\n', 'owners.yml: the file is empty; write [] for no owners'],
    [
      'owners.csv',
      Buffer.from(`${header}l;d,f,M\xfcller`, 'latin1'),
      'owners.csv: the file is not UTF-8 from line 2 on; save it in UTF-8',
    ],
    [
      'owners.csv',
      'vendor_license;feature;owner\nlic01;cad;x',
      'owners.csv:1: has one column; separate the columns by commas, for example vendor_license,feature,owner',
    ],
    [
      'owners.csv',
      'vendor license,featur,owner,owner,e-mail,,severity,__name\n',
      'owners.csv:1: vendor license: is not a usual label, did you mean vendor_license?',
      'owners.csv:1: featur: is not a usual label, did you mean feature?',
      'owners.csv:1: owner: is the name of two columns; remove one of them',
      'owners.csv:1: e-mail: is not a label name; use letters, digits and _',
      'owners.csv:1: column 6 has no name; name it or remove it',
      'owners.csv:1: severity: is reserved: metrics or alerts have this label already; use another name',
      'owners.csv:1: __name: is reserved: Prometheus drops labels whose names start with __',
    ],
    [
      'owners.csv',
      'team,owner\nx,y',
      'owners.csv:1: vendor_license: is required: the first line names the columns, for example vendor_license,feature,owner',
    ],
    ['owners.csv', 'vendor_license,feature\nx,y', 'owners.csv:1: no column is a label; add one, for example owner'],
    [
      'owners.csv',
      `${header}"lic01;\nd",a,b\n,b,cad\nlic01;d,c,Ada, Lovelace\nlic01;d,d,"Ada\n`,
      'owners.csv:4: vendor_license: is empty; write * for all vendor licenses',
      'owners.csv:5: has 4 values for 3 columns; put a value with a comma in quotes',
      'owners.csv:6: a quote is not closed',
    ],
    ['owners.csv', `${header}lic01;d,"a"b,cad`, 'owners.csv:2: a comma is missing after a value in quotes'],
    [
      'owners.yml',
      '- vendor_license: lic01;d\n  owner: cad\n- vendor_licence: lic01;d\n  owner: cad\n- owner: cad\n- cad\n- vendor_license: x\n  job: y\n- vendor_license: x\n',
      'owners.yml:3: owners[1].vendor_licence: is not a usual label, did you mean vendor_license?',
      'owners.yml:5: owners[2].vendor_license: is required',
      'owners.yml:6: owners[3]: "cad" is not a map such as {vendor_license: "lic01;*", owner: cad}',
      'owners.yml:8: owners[4].job: is reserved: metrics or alerts have this label already; use another name',
      'owners.yml:9: owners[5]: gives no label; add one, for example owner',
    ],
    ['owners.yml', 'owner: []', 'owners.yml:1: owner: unknown setting, did you mean owners?'],
    ['owners.yml', 'vendor_license, owner', 'owners.yml:1: a string is not a map'],
    [
      'owners.yml',
      '- {vendor_license: *lic, owner: cad}',
      'owners.yml:1: an alias has no anchor; put a text that begins with * in quotes',
    ],
    [
      'owners.yml',
      '- vendor_license: *\n  owner: licensing',
      'owners.yml:1: an alias has no name; put a text that begins with * in quotes',
    ],
  ])('%s with mistakes: %j', (name, content, ...messages) => {
    expect(readFrom(name, content).messages).toEqual(messages);
  });

  it('cannot replace a label of the metrics that have owners', () => {
    const { license_vendor_license_info: vendorLicense, license_feature_info: feature } = catalogue;
    const labels = new Set<string>([...vendorLicense.labels, ...feature.labels]);
    for (const key of ['owner', 'vendor_license', 'feature']) labels.delete(key);
    expect([...labels].filter((name) => ownerKeyProblem(name) === undefined)).toEqual([]);
    expect(['owner', 'team', 'site', 'contact', 'cost_center'].flatMap((name) => ownerKeyProblem(name) ?? [])).toEqual(
      [],
    );
  });
});

describe('the configuration', () => {
  const load = (folder: string) =>
    loadConfig({ configFile: join(folder, 'c.yml'), flags: new Map(), env: {}, requireAnalyzer: false });

  it('has its own entries first, then those of the file', () => {
    const folder = folderWith({
      'c.yml': 'owners:\n  - {vendor_license: lic09;d, feature: x, owner: ada}\nowners_file: sub.csv\n',
      'sub.csv': 'vendor_license,owner\nlic01;*,cad',
    });
    const ada = { vendorLicense: 'lic09;d', feature: 'x', labels: { owner: 'ada' } };
    const others = { vendorLicense: 'lic01;*', feature: '*', labels: { owner: 'cad' } };
    const own = [{ entry: ada, key: 'owners[0]', where: join(folder, 'c.yml:2') }];
    expect(load(folder).owners).toEqual({
      own,
      file: join(folder, 'sub.csv'),
      stamp: expect.stringMatching(/\d/),
      entries: [ada, others],
      placed: [...own, { entry: others, key: '', where: join(folder, 'sub.csv:2') }],
    });
  });

  it('shows the problems of both with their lines', () => {
    const folder = folderWith({
      'c.yml': 'owners:\n  - {feature: x, owner: ada}\nowners_file: sub.csv\n',
      'sub.csv': 'vendor_license,owner\n,cad',
    });
    expect(() => load(folder)).toThrow(
      `c.yml:2: owners[0].vendor_license: is required\n${folder}/sub.csv:2: vendor_license: is empty; write * for all vendor licenses`,
    );
  });
});

describe('labels of owners', () => {
  const warningsOf = (label: string): readonly string[] => {
    const folder = folderWith({ 'c.yml': `owners: [{vendor_license: 'lic01;*', ${label}: cad}]\n` });
    const options = { configFile: join(folder, 'c.yml'), flags: new Map(), env: {} };
    return loadConfig({ ...options, requireAnalyzer: false }).warnings;
  };

  it('that are probably misspelt are named, and taken as they are', () => {
    expect(warningsOf('ownr')).toEqual(['owners: the label ownr is taken as it is; did you mean owner?']);
    expect(['owner', 'team', 'cost_center'].flatMap(warningsOf)).toEqual([]);
  });
});
