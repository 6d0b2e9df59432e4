import { type Effect, type Known, type NamedPart, withHint } from './effect.ts';
import { type FormerName, findIn, isWanted, type SiteNames, type Wanted } from './site-names.ts';

/** Regular expressions of the configuration: what they select, and what was probably meant. */

/** As it was written. */
export const written = ({ source }: RegExp): string => source.replaceAll('\\/', '/');

/** Without what stands for itself and without classes: there, a star is no sign. */
const signsOf = (expression: string): string => expression.replace(/\\./g, '..').replace(/\[[^\]]*\]/g, '.');

const GLOB = /[\w;@-]\*/;

/** What to write for a text in which `*` probably stands for any text; `undefined` if it does not. */
function meantBy(expression: string): string | undefined {
  if (!GLOB.test(signsOf(expression))) return undefined;
  return expression.replace(/(?<=[\w;@-])(?<!\\.)\*/g, '.*');
}

/** Why an expression is probably a pattern of another kind; `undefined` if it is not. */
export function globProblem(expression: string): string | undefined {
  const meant = meantBy(expression);
  if (meant === undefined) return undefined;
  return `${JSON.stringify(expression)} is a regular expression, in which * repeats the character before it; write ${JSON.stringify(meant)} if it stands for any text`;
}

/** An expression that is a text, perhaps anchored. */
const LITERAL = /^(?<start>\^?)(?<text>(?:[\w;@ -]|\\[^\w])+)(?<end>\$?)$/;

/** What depends on the text around a match. */
const LOOKS_AROUND = /\$|\\[bB]|\(\?[=!<]/;

/** Whether everything that matches an expression certainly matches another one. */
function isSwallowed(expression: RegExp, by: RegExp): boolean {
  const [inner, outer] = [written(expression), written(by)];
  if (inner === outer) return true;
  if (/^(?:\^?(?:\.\*\$?)?|\$)$/.test(outer)) return true;
  const { start, text } = LITERAL.exec(inner)?.groups ?? {};
  if (text === undefined || LOOKS_AROUND.test(outer)) return false;
  // an expression that begins with ^ needs the begin of the text
  if (outer.includes('^') && start !== '^') return false;
  return by.test(text.replace(/\\(.)/g, '$1'));
}

/** The expression of a list of exclusions that swallows an inclusion, and its place in the list. */
const swallowerOf = (include: RegExp, exclude: readonly RegExp[]): number =>
  exclude.findIndex((expression) => isSwallowed(include, expression));

/** A pair of lists in one map. */
export interface Selecting {
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
  /** The key of the map, such as `select`. */
  readonly key: string;
  /** The place of an item. */
  where(list: 'include' | 'exclude', index: number): string;
  /** Whether an item selects anything of the site. */
  findIncluded(expression: RegExp, site: SiteNames): Effect;
  findExcluded(expression: RegExp, site: SiteNames): Effect;
}

/** The parts of both lists. */
export function selectingParts({ include, exclude, key, where, ...find }: Selecting): readonly NamedPart[] {
  const partOf = (
    list: 'include' | 'exclude',
    i: number,
    expression: RegExp,
    swallowed: string | undefined,
    effectIn: (of: RegExp, site: SiteNames) => Effect,
  ): NamedPart => ({
    key: `${key}.${list}[${i}]`,
    where: where(list, i),
    effectIn: (known) => {
      if (swallowed !== undefined) return { none: swallowed };
      const effect = known.site === undefined ? 'unknown' : effectIn(expression, known.site);
      return withHint(effect, globProblem(written(expression)), known);
    },
  });
  return [
    ...include.map((expression, i) => {
      const by = swallowerOf(expression, exclude);
      const swallowed =
        by === -1
          ? undefined
          : `${JSON.stringify(written(expression))} includes nothing: ${key}.exclude[${by}] (${where('exclude', by)}) excludes all that it matches; remove one of them`;
      return partOf('include', i, expression, swallowed, find.findIncluded);
    }),
    ...exclude.map((expression, i) => partOf('exclude', i, expression, undefined, find.findExcluded)),
  ];
}

/** What to do about a pattern or a name that nothing has. */
export const CORRECT = 'correct it, or remove it';

/**
 * Of what is monitored.
 *
 * @param what it matches in vain, with the remedy
 * @param formerOf what counts although it is not listed any more; `undefined` if that is not known
 */
export function listedEffect(
  { site }: Known,
  wanted: Wanted,
  what: (site: SiteNames) => string,
  formerOf: (site: SiteNames) => Iterable<FormerName> | undefined = () => [],
): Effect {
  if (site === undefined) return 'unknown';
  const found = findIn(site, wanted);
  if (found === 'listed') return 'some';
  const former = formerOf(site);
  if (former === undefined) return 'unknown';
  if (Iterator.from(former).some((name) => isWanted(name, wanted))) return 'some';
  return found === 'unknown' ? 'unknown' : { none: what(site) };
}
