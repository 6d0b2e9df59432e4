import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowedLicenses, productionDependencies, reasons, repository } from '../../deploy/release/dependencies.ts';
import { findings } from '../../deploy/release/findings.ts';
import { licensesIn } from '../../deploy/release/license-texts.ts';

const shipped = productionDependencies();
/** Name and text of each package that ships none. */
const [, ...added] = readFileSync(join(repository, 'THIRD-PARTY-LICENSES'), 'utf8').split(/^=== (.+) ===$/m);
const addedNames = added.filter((_, at) => at % 2 === 0);
const addedText = (name: string): string => added[added.indexOf(name) + 1] ?? '';

describe('production dependencies', () => {
  it('have an allowed license', () => {
    const others = shipped
      .filter(({ license }) => license === undefined || !allowedLicenses.includes(license))
      .map(
        ({ name, version, license = 'no license' }) =>
          `${name}@${version} declares ${license}: use another package, or add the license to allowedLicenses after reading it`,
      );
    expect(others).toEqual([]);
  });

  it('come with the text of the license that they declare, and of no license that is not allowed', () => {
    const wrong = shipped.flatMap(({ name, version, license = 'no license', licenseText }) => {
      const found = licensesIn(licenseText === '' ? addedText(name) : licenseText);
      return found.includes(license) && found.every((other) => allowedLicenses.includes(other))
        ? []
        : [
            `${name}@${version} declares ${license}, its license file is of ${found.join(', ') || 'no known license'}: ` +
              'read it; if it ships none, add the text to THIRD-PARTY-LICENSES',
          ];
    });
    expect(wrong).toEqual([]);
  });

  it('are those for which THIRD-PARTY-LICENSES has a text because they ship none', () => {
    expect(addedNames).toEqual(shipped.filter(({ licenseText }) => licenseText === '').map(({ name }) => name));
  });

  it('each have a reason, if package.json names them', () => {
    const { dependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect(Object.keys(reasons)).toEqual(Object.keys(dependencies));
  });

  it('are required by a package that is shipped', () => {
    const orphans = shipped.filter(({ name, requiredBy }) => reasons[name] === undefined && requiredBy.length === 0);
    expect(orphans.map(({ path }) => path)).toEqual([]);
  });
});

describe('a license text', () => {
  const mit = 'Permission is hereby granted, free of charge, to any person obtaining a copy of this software';
  const condition = 'The above copyright notice and this permission notice shall be included in all copies';

  it.each([
    [['MIT'], `${mit}.\n\n${condition}`],
    [['MIT-0'], mit],
    [['MIT', 'GPL'], `${mit}. ${condition}.\n\nParts are under the GNU General Public\nLicense.`],
    [
      ['Apache-2.0', 'Commons-Clause'],
      'Apache License\n  Version 2.0, January 2004\n\n"Commons Clause" License Condition',
    ],
    [[], 'All rights reserved.'],
  ])('is recognised as %j', (licenses, text) => {
    expect(licensesIn(text)).toEqual(licenses);
  });
});

describe('findings', () => {
  it('are about versions that are shipped', () => {
    const stale = findings.filter(
      ({ name, version }) => !shipped.some((dependency) => dependency.name === name && dependency.version === version),
    );
    expect(stale).toEqual([]);
  });

  it('do not concern code that a command loads', () => {
    const script = `
      import { globSync } from 'node:fs';
      import { registerHooks } from 'node:module';
      import { resolve } from 'node:path';
      registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
      for (const command of globSync('src/program/commands/*.ts')) await import(resolve(command));`;
    const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: repository,
      encoding: 'utf8',
    });
    expect(loaded).toContain('node_modules/httpntlm/ntlm.js');
    for (const { name } of findings) expect(loaded).not.toContain(`node_modules/${name}/`);
  });
});
