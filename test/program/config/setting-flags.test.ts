import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { camel } from '../../../src/base/settings/camel.ts';
import { helpOfCommand, helpText } from '../../../src/program/commands/command-line.ts';
import { commands } from '../../../src/program/commands/commands.ts';
import { shownDefault } from '../../../src/program/config/setting-flags.ts';
import { environmentName, settingKeys, settings, variableName } from '../../../src/program/config/settings.ts';

const root = join(import.meta.dirname, '../../..');

describe('the help', () => {
  const text = helpText(undefined);
  const lines = text.split('\n');
  /** Without the ends of lines. */
  const running = text.replace(/\s+/g, ' ');

  it('names each setting once, with its meaning', () => {
    for (const key of settingKeys) {
      expect(running).toContain(settings[key].description.replace(/\s+/g, ' '));
    }
    expect(settingKeys.filter((key) => settings[key].description === '')).toEqual([]);
  });

  it.each([undefined, 60, 100, 300])('fits a terminal of %s columns, and is never wider than 100', (terminal) => {
    const width = Math.min(terminal ?? 80, 100);
    // a word that is longer than a line stays whole
    const wide = (help: string) => help.split('\n').filter((line) => line.length > width && line.trim().includes(' '));
    expect(wide(helpText(terminal))).toEqual([]);
    for (const command of commands) expect(wide(helpOfCommand(command, terminal))).toEqual([]);
    expect(helpText(300)).toBe(helpText(100));
  });

  it('offers no environment variable and no flag where only the file can hold a setting', () => {
    const fileOnly = settingKeys.filter((key) => settings[key].fileOnly);
    expect(fileOnly).toEqual([
      'history.features',
      'alerting.email.owners',
      'alerting.external_labels',
      'alerting.ignore',
      'alerting.rules',
      'rightsizing.without_reservations',
      'owners',
      'embedded_analyzer.sources',
      'embedded_analyzer.source_defaults',
      'embedded_analyzer.source_files',
    ]);
    for (const key of fileOnly) {
      expect(environmentName(key)).toBeUndefined();
      expect(lines).toContain(`  (file) ${key}`);
      expect(text).not.toContain(variableName(key));
    }
    expect(lines).toContain('  (environment) LICENSE_EXPORTER_ANALYZER_PASSWORD');
    expect(lines).toContain('  --[no-]collector.log');
    expect(lines).toContain('  --web.listen-address');
  });

  it('shows defaults as they are written', () => {
    expect(
      (['analyzer.timeout', 'web.listen_address', 'expiration.search', 'shard.index', 'analyzer.url'] as const).map(
        shownDefault,
      ),
    ).toEqual(['30s', ':10319', '2', '0', '']);
  });
});

it('every setting is read, by its key or by its name in the code', () => {
  const source = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !/(^|\/)settings\.ts$|^src\/base\/settings\//.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const words = new Set(source.match(/\w+/g));
  // a file is named by its key, because its path is relative to the file of the configuration
  const isRead = (key: string): boolean =>
    source.includes(`'${key}'`) ||
    source.includes(`clientTls('${key.slice(0, key.lastIndexOf('.'))}')`) ||
    (!key.endsWith('_file') && words.has(camel(key.split('.').at(-1) ?? '')));
  expect(settingKeys.filter((key) => !isRead(key))).toEqual([]);
});
