import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLParseError } from 'yaml';
import type { Problem } from './problems.ts';

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
  const target = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(target)) {
    const item = target.items[Number(name)];
    return item === undefined ? undefined : { node: item, offset: (item as { range?: [number] }).range?.[0] };
  }
  if (!isMap(target)) return undefined;
  const pair = target.items.findLast(({ key }) => String(isScalar(key) ? key.value : key) === String(name));
  return pair && { node: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined };
}

/** Reads YAML; the name stands before the lines. */
export function readYaml(source: string, name: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number): string => `${name}:${lines.linePos(offset).line}`;
  const isTwice = ({ code }: YAMLParseError): boolean => code === 'DUPLICATE_KEY';
  const problems = document.errors.map((error) => ({
    key: '',
    where: at(error.pos[0]),
    message: isTwice(error)
      ? `${/^[^\s:]*/.exec(source.slice(error.pos[0]))?.[0]} is set twice; remove one of them`
      : `not valid YAML: ${error.message.split('\n', 1)[0]}`,
  }));
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
  // of a key that stands twice the rest of the file can be read
  if (!document.errors.every(isTwice)) return { value: undefined, where, problems };
  try {
    // aliases are counted, so that a small file cannot grow without bound
    return { value: document.toJS({ maxAliasCount: 100 }), where, problems };
  } catch (error) {
    return {
      value: undefined,
      where,
      problems: [{ key: '', where: name, message: `not valid YAML: ${(error as Error).message}` }],
    };
  }
}
