import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { createRunner } from '../../support/run.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

/** What the command prints with a configuration, and its exit code. */
async function print(yaml?: string): Promise<{ readonly code: number; readonly output: string }> {
  const file = join(temporaryFolder(), 'c.yml');
  if (yaml !== undefined) writeFileSync(file, yaml);
  const args = yaml === undefined ? ['rules'] : ['rules', `--config.file=${file}`];
  const printing = run(args, { env: { TZ: 'UTC' } });
  const code = await printing.exit;
  return { code, output: printing.output().replaceAll(file, 'c.yml') };
}

describe('rules', () => {
  it('prints the rules of the repository without a configuration', async () => {
    const { code, output } = await print();
    expect(code).toBe(0);
    const shipped = readFileSync(join(import.meta.dirname, '../../../deploy/prometheus/license-alerts.yml'), 'utf8');
    expect(shipped.endsWith(output)).toBe(true);
    expect(parse(output)).toEqual(parse(shipped));
  });

  it.runIf(peer('promtool'))('prints the rules with the settings of a configuration', async () => {
    const { code, output } = await print(`
web: {external_url: "https://licenses.example.com"}
owners: [{vendor_license: "*", cost_center: "4711"}]
alerting:
  prometheus_job: 'lic "x"'
  prometheus_labels: [cluster]
  rules:
    LicenseExporterDown: {for: 3m}
    LicenseDenials: {enabled: false}
`);
    expect(code).toBe(0);
    const { groups } = parse(output);
    const rules = groups.flatMap(({ rules: all }: { rules: object[] }) => all);
    const alertOf = (name: string) => rules.find(({ alert }: { alert?: string }) => alert === name);
    expect(alertOf('LicenseServerDown')).toMatchObject({
      annotations: {
        description: expect.stringMatching(/ https:\/\/licenses\.example\.com\/alerts has the figures\.$/),
        runbook_url: 'https://licenses.example.com/runbooks#licenseserverdown',
      },
    });
    expect(alertOf('LicenseDenials')).toBeUndefined();
    expect(alertOf('LicenseExporterDown')).toMatchObject({ expr: 'up{job="lic \\"x\\""} == 0', for: '3m' });
    expect(output).toContain('owner, team, site, cost_center, cluster) (last_over_time(license_alert_firing');
    const file = join(temporaryFolder(), 'rules.yml');
    writeFileSync(file, output);
    expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('refuses a configuration with a mistake', async () => {
    const { code, output } = await print('alerting: {rules: {LicenseServerDwon: {for: 3m}}}\n');
    expect(code).toBe(2);
    expect(output).toContain('LicenseServerDwon');
  });
});
