import { PART } from '../../../src/sources/capture/stand-ins.ts';
import { isToolWord } from '../../../src/sources/capture/vocabulary.ts';
import type { Site } from '../../support/license-site/site.ts';

/** The names of a site that a capture must not have. */
export function personalNames({ servers, daemons }: Site): readonly string[] {
  const pools = daemons.flatMap(({ features }) => features.flatMap((feature) => feature.pools));
  const who = pools.flatMap(({ checkouts, queued }) => [...checkouts, ...queued]);
  return [
    ...servers.map(({ host }) => host),
    ...who.flatMap(({ user, host, display }) => [user, host, ...(/^(?::|\/dev|Java)/.test(display) ? [] : [display])]),
    ...pools.flatMap(({ reservations }) => reservations.map(({ holder }) => holder)),
  ];
}

const LETTER = String.raw`[\p{L}\p{M}\p{N}]`;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Names that are in a text: as a word, and those of more than three letters as a part of a word too. Words of the tools are no
 * names, and a name without letters or digits does not name anything.
 */
export function leaksIn(text: string, names: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  return [...new Set(names)].filter((name) => {
    const parts = name.match(PART) ?? [];
    const isNameless = parts.every((part) => isToolWord(part) || (/^\d+$/.test(part) && part.length < 3));
    if (isNameless) return false;
    const word = name.toLowerCase();
    if (word.length > 3) return lower.includes(word);
    return new RegExp(`(?<!${LETTER})${escaped(word)}(?!${LETTER})`, 'iu').test(text);
  });
}
