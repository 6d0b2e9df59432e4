import { z } from 'zod';
import {
  documentSchema,
  type FeatureEntry,
  featureSchema,
  type ObservationDocument,
  type VendorLicenseEntry,
  vendorLicenseSchema,
} from './document.ts';
import { type DocumentPath, type DocumentProblems, unknownKey } from './document-problems.ts';
import { plainText } from './document-text.ts';

/**
 * Checks an observation document object by object. Each has rules of its own, which are about several of its keys, or about
 * several elements of a list.
 */

/** What a schema cannot say about an object. */
interface Rules {
  /** What is wrong with an object whose own keys are right, one sentence each. */
  readonly problemsOf: (value: never) => readonly string[];
  /** Two elements of a list must not have the same key. */
  readonly keyOf: (value: never) => string;
  /** What they have in common. */
  readonly key: string;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The names of a vendor license, without the blanks around them. */
export function namesOf(
  { server, daemon, part }: VendorLicenseEntry,
  defaultPart: string,
): { readonly server: string; readonly daemon: string; readonly part: string } {
  return { server: plainText(server), daemon: plainText(daemon), part: plainText(part ?? defaultPart) };
}

/** What makes a feature another one: parts of one feature are its increments. */
export function featureKey(feature: FeatureEntry): string {
  const { token } = feature;
  const tokens = typeof token === 'object' && token !== null ? [token.pool, plainText(token.source)] : token;
  const { feature_type: featureType, license_type: licenseType, license_model: model } = feature;
  const names = [feature.feature, feature.version, feature.package].map(plainText);
  return JSON.stringify([...names, featureType ?? 'feature', licenseType ?? '', model ?? '', tokens ?? '']);
}

const featureRules: Rules = {
  problemsOf: (feature: FeatureEntry) => {
    const problems: string[] = [];
    if (isGiven(feature.increments) && (isGiven(feature.count) || isGiven(feature.expires))) {
      problems.push('has increments beside count or expires: move both into the increments');
    }
    if (isGiven(feature.denials) && isGiven(feature.denials_total)) {
      problems.push('has both denials and denials_total: leave one out');
    }
    return problems;
  },
  keyOf: featureKey,
  key: 'feature, version, package, types and token pool',
};

const vendorLicenseRules: Rules = {
  problemsOf: (license: VendorLicenseEntry) =>
    license.reachable !== false && !isGiven(license.features)
      ? ['has no features: list them, or write reachable false if the server does not answer']
      : [],
  // without a part it has that of the source, which is the same for all
  keyOf: (license: VendorLicenseEntry) => {
    const { server, daemon, part } = namesOf(license, '');
    return JSON.stringify([server, daemon, part]);
  },
  key: 'server, daemon and part',
};

/** The rules of objects, by their schema. */
const rules: ReadonlyMap<z.ZodType, Rules> = new Map<z.ZodType, Rules>([
  [featureSchema, featureRules],
  [vendorLicenseSchema, vendorLicenseRules],
]);

/** How an object is checked: its lists of objects are left out, because their elements are checked one by one. */
interface Step {
  readonly shallow: z.ZodObject;
  readonly lists: ReadonlyMap<string, z.ZodObject>;
  readonly rules: Rules | undefined;
}

function withoutWrappers(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? withoutWrappers(schema.unwrap()) : schema;
}

function createStep(schema: z.ZodObject): Step {
  const lists = new Map<string, z.ZodObject>();
  const shape = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).map(
    ([key, value]): [string, z.ZodType] => {
      const inner = withoutWrappers(value);
      if (!(inner instanceof z.ZodArray) || !(inner.element instanceof z.ZodObject)) return [key, value];
      lists.set(key, inner.element);
      const anyList = inner.clone({ ...inner.def, element: z.unknown() });
      return [key, inner === value ? anyList : anyList.nullish()];
    },
  );
  const shallow = schema.clone({ ...schema.def, shape: Object.fromEntries(shape) });
  return { shallow, lists, rules: rules.get(schema) };
}

const steps = new Map<z.ZodObject, Step>();

function stepOf(schema: z.ZodObject): Step {
  const step = steps.get(schema) ?? createStep(schema);
  steps.set(schema, step);
  return step;
}

/** The keys of the object at this place. */
function keysAt(schema: z.ZodObject, place: DocumentPath): readonly string[] {
  let at: z.core.$ZodType = schema;
  for (const key of place) {
    at = withoutWrappers(at instanceof z.ZodObject ? at.shape[String(key)] : at);
    if (at instanceof z.ZodUnion) at = at.options.find((option) => option instanceof z.ZodObject) ?? at;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** What is wrong in the one alternative that has the right type, if there is one. */
const issuesInside = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] | undefined =>
  issue.code === 'invalid_union'
    ? issue.errors.find((inner) => inner.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'))
    : undefined;

/** An object is checked with the objects in it, so that an issue has a path of its own. */
function addIssue(issue: z.core.$ZodIssue, schema: z.ZodObject, path: DocumentPath, problems: DocumentProblems): void {
  const own = issue.path as (string | number)[];
  const inside = issuesInside(issue);
  if (inside !== undefined) {
    for (const inner of inside) addIssue({ ...inner, path: [...own, ...inner.path] }, schema, path, problems);
  } else if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, own);
    for (const key of issue.keys) problems.add([...path, ...own], () => unknownKey(key, known));
  } else {
    problems.add([...path, ...own], () => issue.message);
  }
}

/** Whether the object itself is right, without the elements of its lists. */
function checkShallow(schema: z.ZodObject, value: unknown, path: DocumentPath, problems: DocumentProblems): boolean {
  const { shallow, rules: itsRules } = stepOf(schema);
  const { error } = shallow.safeParse(value);
  for (const issue of error?.issues ?? []) addIssue(issue, schema, path, problems);
  if (error !== undefined) return false;
  for (const problem of itsRules?.problemsOf(value as never) ?? []) problems.add(path, () => problem);
  return true;
}

function checkLists(schema: z.ZodObject, value: unknown, path: DocumentPath, problems: DocumentProblems): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, element] of stepOf(schema).lists) {
    const list: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (Array.isArray(list)) checkList(element, list, [...path, name], problems);
  }
}

function checkList(
  element: z.ZodObject,
  list: readonly unknown[],
  path: DocumentPath,
  problems: DocumentProblems,
): void {
  const { lists, rules: itsRules } = stepOf(element);
  const first = new Map<string, number>();
  for (const [i, value] of list.entries()) {
    const place = [...path, i];
    const isRight = checkShallow(element, value, place, problems);
    if (lists.size > 0) checkLists(element, value, place, problems);
    if (!isRight || itsRules === undefined) continue;
    const key = itsRules.keyOf(value as never);
    const same = first.get(key);
    if (same === undefined) first.set(key, i);
    else problems.add(place, () => `has the same ${itsRules.key} as number ${same} of the list`);
  }
}

/** Returns the document if it is right. All that is wrong is added to the problems. */
export function checkDocument(value: unknown, problems: DocumentProblems): ObservationDocument | undefined {
  checkShallow(documentSchema, value, [], problems);
  checkLists(documentSchema, value, [], problems);
  return problems.count === 0 ? (value as ObservationDocument) : undefined;
}
