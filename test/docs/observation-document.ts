import { createObservationSchema } from '../../src/analyzer/sources/json/code.ts';
import { sourceFailureKinds } from '../../src/base/model/observation/source-failure.ts';
import { cell, code, table } from '../support/markdown.ts';

/** The keys of observation documents as tables, made from their JSON Schema. */

interface Node {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly minimum?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

const document = createObservationSchema() as Node;

/** They have a table on another page. */
const failureKinds = Object.keys(sourceFailureKinds).join();

/** The alternatives of a node without null: every key that is not required can be null. */
function alternatives(node: Node): readonly Node[] {
  if (node.anyOf !== undefined && node.properties === undefined) return node.anyOf.flatMap(alternatives);
  return node.type === 'null' ? [] : [node];
}

const objectIn = (node: Node | undefined): Node | undefined =>
  node === undefined ? undefined : alternatives(node).find(({ properties }) => properties !== undefined);

function shown(node: Node): string {
  if (node.const !== undefined) return code(String(node.const));
  if (node.enum?.join() === failureKinds) return '[kind of failure](sources.md#kinds-of-failures)';
  if (node.enum !== undefined) return node.enum.map(code).join(', ');
  if (node.items !== undefined)
    return objectIn(node.items) === undefined ? `list of ${shown(node.items)}` : 'list of objects';
  if (node.properties !== undefined) return 'object';
  if (node.pattern?.includes('T') === true) return 'time';
  if (node.pattern?.startsWith('^\\d') === true) return 'date';
  if (node.minimum !== undefined && node.minimum > 0) return 'epoch seconds';
  return [node.type]
    .flat()
    .filter((type) => type !== 'null')
    .join(' or ');
}

function tableOf(node: Node): string {
  const required = node.required ?? [];
  return table(
    ['key', 'value', 'required', 'meaning'],
    Object.entries(node.properties ?? {}).map(([key, value]) => [
      code(key),
      alternatives(value).map(shown).join(' or '),
      required.includes(key) ? 'yes' : '',
      cell(value.description ?? ''),
    ]),
  );
}

/** The object at a path of keys, through lists. */
const at = (...path: readonly string[]): Node =>
  path.reduce<Node>((node, key) => {
    const value = node.properties?.[key];
    const list = value === undefined ? undefined : alternatives(value).find(({ items }) => items !== undefined);
    const below = objectIn(list?.items ?? value);
    if (below === undefined) throw new Error(`no object at ${path.join('.')}`);
    return below;
  }, document);

const feature = ['vendor_licenses', 'features'];

/** Every object, in the order of a reader. */
const objects: readonly (readonly [title: string, Node])[] = [
  ['The document', document],
  ['A vendor license', at('vendor_licenses')],
  ['A feature', at(...feature)],
  ['An increment', at(...feature, 'increments')],
  ['A checkout', at(...feature, 'checkouts')],
  ['The status of an application', at(...feature, 'checkouts', 'status')],
  ['A request that waits', at(...feature, 'queued')],
  ['A reservation', at(...feature, 'reservations')],
  ['Tokens', at(...feature, 'token')],
  ['A redundant server', at('members')],
  ['A problem', at('problems')],
];

export const observationSections = (): string =>
  objects.map(([title, node]) => `### ${title}\n\n${tableOf(node)}`).join('\n\n');
