import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { managerNames } from '../../../../src/analyzer/sources/managers.ts';
import { PART } from '../../../../src/program/commands/capture/anonymize.ts';
import type { Site } from '../../../support/license-site/site.ts';

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

/** All that a capture may have. */
const allowed = managerNames
  .flatMap((manager) => {
    const { vocabulary, texts } = managerCodes[manager];
    return [vocabulary.words, ...Object.values(texts).flatMap(({ shapes }) => shapes)];
  })
  .join(' ')
  .toLowerCase();

/**
 * Names that are in a text: as a word, and those of more than three letters as a part of a word too. What is a word of the
 * tools can stand there as such, and a name without letters or digits does not name anything.
 */
export function leaksIn(text: string, names: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  return [...new Set(names)].filter((name) => {
    const word = name.trim().toLowerCase();
    const isNumber = /^[\d.]+$/.test(word) && word.length < 3;
    if (isNumber || (word.match(PART) ?? []).length === 0 || allowed.includes(word)) return false;
    if (word.length > 3) return lower.includes(word);
    return new RegExp(`(?<!${LETTER})${escaped(word)}(?!${LETTER})`, 'iu').test(text);
  });
}
