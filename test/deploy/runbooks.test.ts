import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definitions, folderOf, runbookOf, runbooks } from '../../deploy/prometheus/generate.ts';
import { settingsShape } from '../../src/alerting/alerts/alert-settings.ts';
import type { AlertName } from '../../src/alerting/alerts/definitions.ts';
import { allAlerts } from '../../src/alerting/alerts/rules.ts';
import { blockedCauses } from '../../src/base/model/observation/observation.ts';
import { causeRemedies, causeTexts } from '../../src/base/people.ts';
import { settingOf } from '../../src/base/settings/table.ts';

/** Each alert has a runbook, and its condition names the values that are set by default. */

const markdown = readFileSync(join(import.meta.dirname, '../../deploy/runbooks.md'), 'utf8');
const sections = new Map(
  markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n', 1)[0] ?? '', section]),
);

const units: Readonly<Record<string, string>> = { d: 'day', h: 'hour', m: 'minute', s: 'second' };

/** A default as the condition writes it; `undefined` if it need not name it. */
function shown(value: unknown): string | undefined {
  if (typeof value === 'number') return value === 0 ? undefined : value < 1 ? `${value * 100} %` : `${value} `;
  const [, count, unit = ''] = /^(\d+)([dhms])$/.exec(String(value)) ?? [];
  if (count === undefined) return undefined;
  return `${count} ${units[unit]}${count === '1' ? '' : 's'}`;
}

describe('the runbooks', () => {
  it('are those of the definitions of alerts', () => {
    // `npm run rules` writes them
    expect(markdown).toBe(runbooks());
  });

  it('are in folders of which each has a row in src/alerting/alerts/definitions.ts', () => {
    const folders = readdirSync(definitions, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(allAlerts).map(folderOf).sort());
  });

  it.each(Object.keys(allAlerts))('have the condition, checks and silence of %s', (alert) => {
    const section = sections.get(alert) ?? '';
    const parts = ['**Condition.** ', '**Check**', '1. ', '**Silence.** '];
    const begun = section.split('\n\n').map((part) => parts.find((begin) => part.startsWith(begin)));
    const file = `${folderOf(alert)}/runbook.md`;
    expect({ file, parts: begun.filter((part) => part !== undefined) }).toEqual({ file, parts });
  });

  it.each(Object.entries(allAlerts))('name the default values in the condition of %s', (alert, { parameters }) => {
    const condition = runbookOf(alert as AlertName).condition;
    for (const [name, schema] of Object.entries(parameters)) {
      if (['for', 'keep_firing_for', 'enabled'].includes(name)) continue;
      const text = shown(settingOf(schema).default);
      if (text !== undefined) expect({ name, condition }).toEqual({ name, condition: expect.stringContaining(text) });
    }
  });

  it('have what ends each cause for which people wait', () => {
    const rows = [...runbookOf('LicenseDenials').text.matchAll(/^ *\| (.+) \| (.+) \|$/gm)].map(([, cause, end]) => [
      cause,
      end,
    ]);
    const expected = blockedCauses.map((cause) => [causeTexts[cause], causeRemedies[cause]]);
    expect(rows).toEqual([['cause', 'what ends it'], ...expected]);
  });

  it('name only settings of alerts that exist', () => {
    const named = [...markdown.matchAll(/`alerting\.rules\.(\w+)(?:\.(\w+))?`/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [mention, alert = '', parameter] of named) {
      const rule = Object.entries(allAlerts).find(([name]) => name === alert)?.[1];
      expect({
        mention,
        known: rule !== undefined && (parameter === undefined || parameter in settingsShape(rule)),
      }).toEqual({
        mention,
        known: true,
      });
    }
  });
});
