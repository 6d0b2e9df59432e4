import { describe, expect, it } from 'vitest';
import type { Manager } from '../../../../src/analyzer/sources/managers.ts';
import { readCapture } from '../../../../src/program/commands/capture/capture-file.ts';
import { replay } from '../../../../src/program/commands/capture/replay.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { renderTexts } from '../../../support/license-site/render-texts.ts';
import { capture, headerOf, sectionOf } from './captured.ts';

/** A source whose answer is several texts: they are read together again. */

const now = 1_800_000_000;
const site = createLargeSite({ features: 3, users: 2, now });

/** The texts of a source, by whose they are. */
function partsOf(manager: Manager): readonly (readonly [of: string, text: string])[] {
  const [[, whole]] = renderTexts[manager](site);
  if (manager === 'lsdyna') {
    const at = whole.indexOf('Using user specified server', 1);
    return [
      ['server 1', whole.slice(0, at)],
      ['server 1, run 2', whole.slice(at)],
    ];
  }
  const answers = JSON.parse(whole.replaceAll(/:NaN\b/g, ':null')) as Readonly<Record<string, unknown>>;
  return Object.values(answers).map((answer, i) => [`answer ${i + 1}`, `${JSON.stringify(answer)}\n`]);
}

describe.each<Manager>(['lsdyna', 'query-api'])('the texts of %s', (manager) => {
  it('are one observation, without names and with the same figures', () => {
    const header = headerOf({
      manager,
      via: manager === 'lsdyna' ? 'command' : 'analyzer',
      servers: ['27000@licenses.example.com'],
      time: now,
    });
    const [[kind, whole]] = renderTexts[manager](site);
    const sections = partsOf(manager).map(([of, text]) => ({ ...sectionOf(kind, text), of }));
    const { results, failures, unread } = replay(readCapture(capture(sections, header).file));
    const one = replay({ header, sections: [{ ...sectionOf(kind, whole), line: 1 }] });
    const figures = (parsed: typeof results) =>
      parsed.flatMap(({ vendorLicenses }) =>
        vendorLicenses.flatMap(({ pools }) =>
          pools.map(({ inUse, checkouts, increments }) => [inUse, increments, checkouts.map(({ since }) => since)]),
        ),
      );
    expect({ failures, unread }).toEqual({ failures: [], unread: [] });
    expect(results).toHaveLength(1);
    expect(figures(results)).toEqual(figures(one.results));
    expect(figures(results)).toHaveLength(3);
  });
});
