import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createConfigSchema } from '../../../src/program/config/json-schema.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { settingKeys, settings } from '../../../src/program/config/settings.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const example = join(deploy, 'license-exporter.example.yml');

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly description?: string;
  readonly default?: unknown;
}

const schema = createConfigSchema() as Node;
const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);

const nodeOf = (key: string): Node | undefined =>
  key.split('.').reduce<Node | undefined>((node, name) => node?.properties?.[name], schema);

/** Where it says that something is wrong. */
const wrongPlaces = (yaml: string): string[] => {
  validate(parse(yaml));
  return [...new Set((validate.errors ?? []).map(({ instancePath }) => instancePath))];
};

describe('the JSON Schema of the configuration', () => {
  it('in the repository is what the code makes ("npm run config-schema" writes it)', () => {
    const text = `${JSON.stringify(createConfigSchema(), undefined, 2)}\n`;
    expect(readFileSync(join(deploy, 'config.schema.json'), 'utf8')).toBe(text);
  });

  it('has the meaning and the default of every setting that the file can hold', () => {
    for (const key of settingKeys) {
      const { description, default: fallback, secret } = settings[key];
      const node = nodeOf(key);
      expect({ key, isThere: node !== undefined }).toEqual({ key, isThere: secret !== true });
      if (node === undefined) continue;
      expect(node.description).toContain(description.split('[')[0]);
      expect({ key, default: node.default }).toEqual({ key, default: fallback });
    }
  });

  it('takes the example, which the program takes too', () => {
    const text = readFileSync(example, 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=config\.schema\.json\n/);
    expect(wrongPlaces(text)).toEqual([]);
    try {
      loadConfig({ configFile: example, flags: new Map(), env: {}, requireAnalyzer: true });
    } catch (error) {
      // the files it names are not here
      const { problems } = error as ConfigError;
      expect(error).toBeInstanceOf(ConfigError);
      expect(problems.filter(({ message }) => !message.endsWith('does not exist'))).toEqual([]);
    }
  });

  it.each([
    ['analyser: {}', ''],
    ['analyzer: {password: x}', '/analyzer'],
    ['analyzer: {timeout: 30}', '/analyzer/timeout'],
    ['analyzer: {concurrency: 300}', '/analyzer/concurrency'],
    ['poll: {max_data_age: old}', '/poll/max_data_age'],
    ['log: {level: loud}', '/log/level'],
    ['history: {features: [{vendor_license: a;b}]}', '/history/features/0'],
    [
      'alerting: {alertmanagers: [{static_configs: [{targets: [am]}]}]}',
      '/alerting/alertmanagers/0/static_configs/0/targets/0',
    ],
    ['alerting: {rules: {LicenseExpired: {within: soon}}}', '/alerting/rules/LicenseExpired/within'],
    ['alerting: {rules: {LicensePollPartial: {overrides: []}}}', '/alerting/rules/LicensePollPartial'],
  ])('refuses %j', (yaml, place) => {
    expect(wrongPlaces(yaml)).toContain(place);
  });

  it.each([
    'web: {listen_address: ":10319"}',
    'analyzer: {max_response_size: 4096, timeout: 1m30s}',
    'expiration: {search: none}',
    'alerting: {alertmanagers: "http://a:1,http://b:2"}',
    'alerting: {rules: {LicenseExpired: {overrides: [{feature: x, enabled: false}]}}}',
  ])('takes %j', (yaml) => {
    expect(wrongPlaces(yaml)).toEqual([]);
  });
});
