import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definitions, folderOf, runbookOf, runbooks } from '../../deploy/prometheus/runbooks.ts';
import { settingsShape } from '../../src/alerting/alerts/alert-settings.ts';
import type { AlertName } from '../../src/alerting/alerts/definitions.ts';
import { allAlerts } from '../../src/alerting/alerts/rules.ts';
import { blockedCauses } from '../../src/base/model/observation/observation.ts';
import { causeRemedies, causeTexts } from '../../src/base/people.ts';
import { settingOf } from '../../src/base/settings/table.ts';

/** Each alert has a runbook, and its condition names the values that are set by default. */

const markdown = readFileSync(join(import.meta.dirname, '../../deploy/runbooks.md'), 'utf8');
const [introduction = '', ...ofAlerts] = markdown.split(/^## /m);
const sections = new Map(ofAlerts.map((section) => [section.split('\n', 1)[0] ?? '', section]));

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

  it.each(Object.keys(allAlerts))('have the condition, checks, silence and settings of %s', (alert) => {
    const section = sections.get(alert) ?? '';
    const parts = ['**Condition.** ', '**Check**', '1. ', '**Silence.** ', '**Settings.** '];
    const begun = section.split('\n\n').map((part) => parts.find((begin) => part.startsWith(begin)));
    const file = `${folderOf(alert)}/runbook.md`;
    expect({ file, parts: begun.filter((part) => part !== undefined) }).toEqual({ file, parts });
  });

  it.each(Object.entries(allAlerts))('explain the settings of %s in its condition', (alert, definition) => {
    const condition = runbookOf(alert as AlertName).condition;
    for (const [name, schema] of Object.entries(settingsShape(definition))) {
      // every alert has those that the introduction explains
      if (introduction.includes(`\`${name}`)) continue;
      expect({ name, condition }).toEqual({ name, condition: expect.stringMatching(`\`${name}\\b`) });
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

  it('tell people to change only settings that the alert has', () => {
    const named = (Object.keys(allAlerts) as AlertName[]).flatMap((alert) =>
      [...runbookOf(alert).text.matchAll(/\b(?:override|raise|set) `(\w+)(?:: [^`]*)?`(?: or `(\w+)`)?/gi)]
        .flatMap(([, ...names]) => names.filter((name) => name !== undefined))
        .map((name) => ({ alert, name, known: name in settingsShape(allAlerts[alert]) })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ known }) => !known)).toEqual([]);
  });
});
