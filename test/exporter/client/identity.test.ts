import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { analyzerIdentity, namesOfSaved } from '../../../src/exporter/client/identity.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { createConfig } from '../../support/harness.ts';

describe('the name of the analyzer', () => {
  it.each([
    ['https://lic.example.com/analyzer', 'lic.example.com:443'],
    ['http://lic.example.com', 'lic.example.com:80'],
    ['http://[::1]:10320/analyzer', '[::1]:10320'],
  ])('of %s is %s', (url, expected) => {
    expect(analyzerIdentity(createConfig(url))).toEqual({ analyzer: expected, shard: '' });
  });

  it('is the configured one', () => {
    const config = createConfig('https://lic.example.com/analyzer', { 'analyzer.name': 'paris' });
    expect(analyzerIdentity(config).analyzer).toBe('paris');
  });

  it('before it had one is its address', () => {
    const config = createConfig('https://lic.example.com/analyzer', { 'analyzer.name': 'paris' });
    expect(namesOfSaved(config)).toEqual(['paris', 'lic.example.com:443']);
  });

  it('is the host for the embedded analyzer, unless it is configured', () => {
    const load = (flags: readonly (readonly [SettingKey, unknown])[]) =>
      loadConfig({ flags: new Map(flags), env: {}, requireAnalyzer: false });
    expect(analyzerIdentity(load([])).analyzer).toBe(`embedded@${hostname()}`);
    expect(analyzerIdentity(load([['analyzer.name', 'paris']])).analyzer).toBe('paris');
    expect(namesOfSaved(load([['analyzer.name', 'paris']]))).toEqual(['paris', `embedded@${hostname()}`]);
  });
});

it('has the index of the shard only if there are several', () => {
  const config = createConfig('http://lic.example.com', { 'shard.index': 1, 'shard.total': 2 });
  expect(analyzerIdentity(config).shard).toBe('1');
});
