import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productionDependencies, reasons, repository } from '../../deploy/release/dependencies.ts';
import { createSbom, licensesOf } from '../../deploy/release/sbom.ts';

const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const timestamp = '2026-01-02T03:04:05Z';
const sbom = createSbom(timestamp);
const packages = sbom.components.filter(({ purl }) => purl.startsWith('pkg:npm/'));

describe('software bill of materials', () => {
  it('names the release', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(sbom.metadata).toMatchObject({
      timestamp,
      component: {
        type: 'application',
        name: 'license-exporter',
        version: version,
      },
    });
  });

  it('lists every production dependency with its licenses, address and hash, and why it is there', () => {
    const shipped = productionDependencies();
    const wanted = shipped.map(({ name, version: installed, ...dependency }) => ({
      name,
      version: installed,
      purl: `pkg:npm/${name.replace('@', '%40')}@${installed}`,
      description: reasons[name] ?? `required by ${dependency.requiredBy.join(', ')}`,
      licenses: licensesOf({ name, version: installed, ...dependency }).map((id) => ({ license: { id } })),
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    }));
    const byPurl = (a: { purl: string }, b: { purl: string }): number => (a.purl < b.purl ? -1 : 1);
    expect(packages.toSorted(byPurl)).toMatchObject(wanted.toSorted(byPurl));
  });

  it('lists the Node of the archives', () => {
    expect(sbom.components).toContainEqual(
      expect.objectContaining({
        name: 'node',
        version: process.versions.node,
        purl: `pkg:generic/node@${process.versions.node}`,
      }),
    );
  });

  it('refers only to components that it has', () => {
    const refs = new Set([sbom.metadata.component, ...sbom.components].map((component) => component['bom-ref']));
    const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(refs.size).toBe(sbom.components.length + 1);
    expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
  });

  it('is the same in every run, and has another serial number for other content', () => {
    expect(createSbom(timestamp)).toEqual(sbom);
    const other = createSbom('2026-01-02T03:04:06Z');
    expect(other.serialNumber).not.toBe(sbom.serialNumber);
    expect(other.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
