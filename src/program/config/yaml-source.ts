import { createRequire } from 'node:module';
import type { Document, YAMLParseError } from 'yaml';
import { shownPath } from '../../base/settings/structures.ts';
import type { Problem } from './problems.ts';

type Yaml = typeof import('yaml');

const require = createRequire(import.meta.url);

/** The YAML library. It is loaded with the first file: a configuration by flags and environment needs none of its 72 modules. */
export const yaml = (): Yaml => require('yaml');

/** What a YAML file says, and where. */
export interface YamlSource {
  /** Plain values; `undefined` where the file is not YAML. */
  readonly value: unknown;
  /** `config.yml:12`: the line of the key, or of the item of a list, that this path leads to, or of the nearest above. */
  where(path: readonly PropertyKey[]): string;
  readonly problems: readonly Problem[];
}

/** The node below another one, and the offset at which it is written: that of its key where it has one. */
function step(
  document: Document,
  node: unknown,
  name: PropertyKey,
): { node: unknown; offset: number | undefined } | undefined {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const target = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(target)) {
    const item = target.items[Number(name)];
    return item === undefined ? undefined : { node: item, offset: (item as { range?: [number] }).range?.[0] };
  }
  if (!isMap(target)) return undefined;
  const pair = target.items.findLast(({ key }) => String(isScalar(key) ? key.value : key) === String(name));
  return pair && { node: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined };
}

type Finding = Pick<Problem, 'key' | 'message'> & { readonly offset: number };

const isTwice = ({ code }: YAMLParseError): boolean => code === 'DUPLICATE_KEY';

/** What is not valid, without what is written there: it may be a secret. */
function syntaxMessage({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'holds more than one document; remove the line --- and what follows';
  if (code === 'BAD_DIRECTIVE')
    return 'not valid YAML: a line that begins with % is a directive; put the text in quotes';
  if (code === 'BAD_ALIAS') return 'an alias has no name; put a text that begins with * in quotes';
  const hint = /escape sequence/.test(message) ? '; write a text with \\ without quotes or in single quotes' : '';
  return `not valid YAML: ${message.split('\n', 1)[0]?.replace(/(?<=\w): .*$|(?<=escape sequence) .*$/, '')}${hint}`;
}

/** The first problem of each line: others of it follow from it. */
function firstOfLines(errors: readonly YAMLParseError[], lineOf: (offset: number) => number): Finding[] {
  const byLine = Map.groupBy(errors, ({ pos }) => lineOf(pos[0]));
  return [...byLine.values()].flatMap(([error]) =>
    error === undefined ? [] : { key: '', offset: error.pos[0], message: syntaxMessage(error) },
  );
}

/** Keys that stand twice, or are no text, and aliases of nothing. */
function findingsIn(document: Document, twice: ReadonlySet<number>): Finding[] {
  const { isPair, isScalar, visit } = yaml();
  const found: Finding[] = [];
  const offsetOf = (node: unknown): number => (node as { range?: [number] } | null)?.range?.[0] ?? 0;
  visit(document, {
    Pair: (_, { key }, ancestors) => {
      const offset = offsetOf(key);
      if (!isScalar(key) && key !== null) {
        found.push({ key: '', offset, message: 'a key must be a text' });
        return visit.SKIP;
      }
      if (!twice.has(offset)) return undefined;
      const path = [...ancestors.filter(isPair).map((pair) => pair.key), key];
      const name = shownPath(path.map((part) => String(isScalar(part) ? part.value : part)));
      found.push({ key: name, offset, message: 'is set twice; remove one of them' });
      return undefined;
    },
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = 'an alias has no anchor; put a text that begins with * in quotes';
      found.push({ key: '', offset: offsetOf(alias), message });
    },
  });
  return found;
}

/** Reads YAML; the name stands before the lines. */
export function readYaml(source: string, name: string): YamlSource {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const lineOf = (offset: number): number => lines.linePos(offset).line;
  const at = (offset: number): string => `${name}:${lineOf(offset)}`;
  const [twice = [], invalid = []] = [true, false].map((wanted) =>
    document.errors.filter((error) => isTwice(error) === wanted),
  );
  const where = (path: readonly PropertyKey[]): string => {
    let place = name;
    let node: unknown = document.contents;
    for (const next of path) {
      const found = step(document, node, next);
      if (found === undefined) break;
      node = found.node;
      if (found.offset !== undefined) place = at(found.offset);
    }
    return path.length === 0 ? at(document.contents?.range?.[0] ?? 0) : place;
  };
  const none = (found: readonly Finding[]): YamlSource => ({
    value: undefined,
    where,
    problems: found.map(({ key, offset, message }) => ({ key, where: at(offset), message })),
  });
  if (invalid.length > 0) return none(firstOfLines(invalid, lineOf));
  // of a key that stands twice the rest of the file can be read
  const findings = findingsIn(document, new Set(twice.map(({ pos }) => pos[0])));
  if (findings.length > twice.length) return none(findings);
  try {
    // aliases are counted, so that a small file cannot grow without bound
    return { ...none(findings), value: document.toJS({ maxAliasCount: 100 }) };
  } catch {
    return none([{ key: '', offset: 0, message: 'its aliases, or its nesting, are too much to read' }]);
  }
}
