import { OperatorError } from '../model/operator-error.ts';
import { quote } from './promql.ts';

/** Values for the matching vendor licenses and features. */
interface Override {
  readonly vendorLicense: RegExp | undefined;
  readonly feature: RegExp | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The settings of a rule. If several overrides match, the first one that sets a value wins. */
export interface RuleSettings {
  readonly base: Readonly<Record<string, unknown>>;
  readonly overrides: readonly Override[];
}

/** An expression whose series carry the labels vendor_license and feature, with these matchers added to its selector. */
export type Selection = (matchers: readonly string[]) => string;

/** What regular expressions of JavaScript have, and those of Prometheus (RE2) have not. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, 'lookahead or lookbehind'],
  [/\\[1-9]|\\k</, 'back-reference'],
  [/\\u|\\c/, '\\u or \\c'],
  [/\(\?</, 'named group'],
  [/\[\^?\]/, 'empty character class'],
];

/** A matcher for the values that the expression finds. Those of Prometheus match whole values. */
export const matcherOf = (label: string, { source }: RegExp): string =>
  `${label}=~${quote(`(?s:.*)(?:${source.replaceAll('\\/', '/')})(?s:.*)`)}`;

/** @throws OperatorError for a regular expression that Prometheus cannot evaluate */
export function checkExpression(path: string, source: string): void {
  const found = unsupported.find(([pattern]) => pattern.test(source.replaceAll('\\\\', '')));
  if (found === undefined) return;
  throw new OperatorError(
    `${path}: Prometheus cannot evaluate ${source}, because its regular expressions have no ${found[1]}; write it without`,
  );
}

/**
 * Refuses what the engine can evaluate and Prometheus cannot.
 *
 * @param path of the settings in the configuration
 * @throws OperatorError that names the setting
 */
export function checkExpressions(path: string, { base, overrides }: RuleSettings): void {
  const values: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    [path, base],
    ...overrides.map(
      ({ vendorLicense, feature, values }, i) =>
        [`${path}.overrides[${i}]`, { vendor_license: vendorLicense, feature, ...values }] as const,
    ),
  ];
  for (const [at, all] of values) {
    for (const [name, value] of Object.entries(all)) {
      if (value instanceof RegExp)
        checkExpression(`${at}.${name === 'iconPattern' ? 'icon_pattern' : name}`, value.source);
    }
  }
}

const matchersOf = ({ vendorLicense, feature }: Override): readonly string[] => [
  ...(vendorLicense === undefined ? [] : [matcherOf('vendor_license', vendorLicense)]),
  ...(feature === undefined ? [] : [matcherOf('feature', feature)]),
];

/** The overrides that set a value. */
const setting = ({ overrides }: RuleSettings, name: string): readonly Override[] =>
  overrides.filter(({ values }) => values[name] !== undefined);

/** The distinct values of a setting, the base first. */
export const valuesOf = (settings: RuleSettings, name: string): readonly unknown[] => [
  ...new Set([settings.base[name], ...setting(settings, name).map(({ values }) => values[name])]),
];

/**
 * The value of a setting for each series of a selection: a number if it is the same for all, else a vector with the labels of
 * the selection.
 */
export function thresholdOf(settings: RuleSettings, name: string, selection: Selection): string {
  const overrides = setting(settings, name);
  const base = Number(settings.base[name]);
  if (overrides.length === 0) return String(base);
  const cases = overrides.map(
    (override) => `${selection(matchersOf(override))} * 0 + ${Number(override.values[name])}`,
  );
  return `(${[...cases, `${selection([])} * 0 + ${base}`].join(' or ')})`;
}

/** The series of a selection for which the rule is enabled. */
export function enabledOf(settings: RuleSettings, selection: Selection): string {
  const enabled = thresholdOf(settings, 'enabled', selection);
  return enabled === '1' ? selection([]) : `(${selection([])} unless ${enabled} == 0)`;
}

/** The series of a selection, each computed by the value of a setting that its overrides choose. */
export function chosenBy(
  settings: RuleSettings,
  name: string,
  expression: (value: never, matchers: readonly string[]) => string,
): string {
  const overrides = setting(settings, name);
  const cases = overrides.map((override) => expression(override.values[name] as never, matchersOf(override)));
  const all = [...cases, expression(settings.base[name] as never, [])];
  return all.length === 1 ? all.join('') : `(${all.join(' or ')})`;
}

/** The regular expressions for icons, each with the matchers of its override. */
export const patternsOf = (
  settings: RuleSettings,
): readonly { readonly pattern: RegExp; readonly matchers: readonly string[] }[] => [
  ...setting(settings, 'iconPattern').map((override) => ({
    pattern: override.values.iconPattern as RegExp,
    matchers: matchersOf(override),
  })),
  ...(settings.base.iconPattern === undefined ? [] : [{ pattern: settings.base.iconPattern as RegExp, matchers: [] }]),
];

/** Whether the rule is enabled for at least one vendor license or feature. */
export const isEnabled = (settings: RuleSettings): boolean => valuesOf(settings, 'enabled').includes(true);
