import { severities } from '../../../alerting/alerts/alert-classes.ts';
import { type EngineRuleName, engineAlertOf, prometheusAlerts } from '../../../alerting/alerts/definitions.ts';
import { engineNames } from '../../../alerting/alerts/rules.ts';
import { identityLabels, scopeLabels } from '../../../base/model/alert-labels.ts';
import { fieldEndpoints, recordFields } from '../../../base/query-api/records.ts';
import type { Matcher } from '../../../base/settings/labels.ts';
import { suggest } from '../../../base/settings/names.ts';
import { analyzerIdentity } from '../../../exporter/client/identity.ts';
import type { FeatureLabels } from '../../../exporter/inventory/feature-row.ts';
import type { Config } from '../config.ts';
import { type Effect, type Known, type NamedPart, withHint } from './effect.ts';
import { CORRECT, globProblem, listedEffect } from './expressions.ts';
import type { FormerName, SiteNames } from './site-names.ts';

/** Entries of `alerting.ignore`: whether an alert can have such labels, and whether anything that is listed has them. */

type Group = readonly Matcher[];

const shown = ({ label, operator, value }: Matcher): string => `${label}${operator}${JSON.stringify(value)}`;

/** Whether a value matches what a matcher says, or, of one that excludes, what it excludes. */
function valueTest({ operator, value }: Matcher): (actual: string) => boolean {
  if (!operator.endsWith('~')) return (actual) => actual === value;
  const expression = new RegExp(`^(?:${value})$`, 'su');
  return (actual) => expression.test(actual);
}

/** Whether a label with such a value satisfies a matcher. */
function satisfies(matcher: Matcher): (actual: string) => boolean {
  const test = valueTest(matcher);
  const isWanted = matcher.operator.startsWith('=');
  return (actual) => test(actual) === isWanted;
}

/** Labels of a feature, by name. */
const featureLabels: Readonly<Record<string, (labels: FeatureLabels) => string>> = {
  feature: ({ feature }) => feature,
  version: ({ version }) => version,
  package: ({ package: packageName }) => packageName,
  feature_type: ({ featureType }) => featureType,
};

type Configured = Pick<Config, 'alerting' | 'embeddedAnalyzer' | 'analyzer' | 'analyzerName' | 'history' | 'shard'>;

/** The values that a label can have by the configuration; `undefined` if the site decides. */
function valuesOf(label: string, config: Configured, { owners }: Known): readonly string[] | undefined {
  const { sources } = config.embeddedAnalyzer;
  const given = owners.flatMap(({ labels }) => labels[label] ?? []);
  const common = config.alerting.externalLabels[label];
  switch (label) {
    case 'alertname':
      return engineNames;
    case 'severity':
      return severities;
    case 'analyzer':
      return [analyzerIdentity(config).analyzer];
    case 'license_source':
      return sources.map(({ name }) => name);
    case 'manager':
      return sources.map(({ manager }) => manager);
    case 'field':
      return fieldEndpoints.flatMap((endpoint) => Object.keys(recordFields[endpoint]));
    default:
      return given.length > 0 || common !== undefined
        ? [...given, ...(common === undefined ? [] : [common])]
        : undefined;
  }
}

const isOfPrometheus = (name: string): boolean => Object.hasOwn(prometheusAlerts, name);

const isExpression = ({ operator }: Matcher): boolean => operator.endsWith('~');

/** Why a value is probably a pattern of another kind; `undefined` if it is not. */
function hintOf(matcher: Matcher): string | undefined {
  const { label, value } = matcher;
  if (isExpression(matcher)) {
    const glob = globProblem(value);
    return glob === undefined ? undefined : `${label}: ${glob}`;
  }
  if (!value.includes('*')) return undefined;
  return `${shown(matcher)} is compared as it is; for a pattern, write ${label}=~${JSON.stringify(value.replaceAll('*', '.*'))}`;
}

/** Why no alert has the value of a matcher on any site; `undefined` if one can have it. */
function valueProblem(matcher: Matcher, values: readonly string[] | undefined): string | undefined {
  const { label, value } = matcher;
  const test = valueTest(matcher);
  // an empty value is a label that an alert does not have
  if (values?.some(test) === true || test('')) return undefined;
  const hint = hintOf(matcher);
  // names of the site can have any sign
  const isName = label === 'vendor_license' || Object.hasOwn(featureLabels, label);
  if (values === undefined) return isName || isExpression(matcher) ? undefined : hint;
  if (hint !== undefined) return hint;
  if (label === 'alertname' && isOfPrometheus(value)) {
    return `${value} is evaluated by Prometheus alone, where this setting does not count; silence it in Alertmanager`;
  }
  const near = isExpression(matcher) ? '' : suggest(value, values);
  const text = shown({ ...matcher, operator: isExpression(matcher) ? '=~' : '=' });
  return `no alert has ${text}${near === '' ? `; ${CORRECT}` : near}`;
}

/** The labels that an alert can have. */
const labelsOf = ({ alerting }: Configured, { owners }: Known): readonly string[] => [
  ...identityLabels,
  ...scopeLabels,
  'source',
  ...Object.keys(alerting.externalLabels),
  ...owners.flatMap(({ labels }) => Object.keys(labels)),
];

function labelProblem({ label }: Matcher, labels: readonly string[]): string | undefined {
  if (labels.includes(label)) return undefined;
  const near = suggest(label, labels);
  return `no alert has a label ${label}${near === '' ? '; labels are those of docs/alerts.md, of alerting.external_labels and of owners' : near}`;
}

/** Why no alert satisfies an entry, or every alert does on any site; `undefined` if that is not so. */
function ownProblem(group: Group, config: Configured, known: Known): string | undefined {
  const labels = labelsOf(config, known);
  const found = group.map((matcher) => ({
    problem: labelProblem(matcher, labels) ?? valueProblem(matcher, valuesOf(matcher.label, config, known)),
    // without such a label or value, every alert satisfies it
    isExcluding: satisfies(matcher)(''),
    isOfAlert: matcher.label === 'alertname',
  }));
  if (found.every(({ problem, isExcluding }) => problem !== undefined && isExcluding)) {
    return `${group.map(shown).join(', ')} ignores every alert: ${found[0]?.problem}`;
  }
  const decisive = found.find(({ problem, isExcluding, isOfAlert }) => problem && (isOfAlert || !isExcluding));
  return decisive?.problem ?? contradictionIn(group);
}

/** Why the matchers of an entry contradict each other; `undefined` if they do not. */
function contradictionIn(group: Group): string | undefined {
  const of = (label: string) => group.filter((matcher) => matcher.label === label).map(satisfies);
  const [ofName, ofSeverity] = [of('alertname'), of('severity')];
  const alerts = engineNames.filter((name) => ofName.every((test) => test(name)));
  const ofSeverities = alerts.filter((name) =>
    engineAlertOf(name)?.severities.some((severity) => ofSeverity.every((test) => test(severity))),
  );
  const text = group.map(shown).join(', ');
  if (ofSeverities.length === 0) {
    return `${text}: no alert has both this name and this severity; docs/alerts.md has the severities of each`;
  }
  const needsFeature = group.find((matcher) => Object.hasOwn(featureLabels, matcher.label) && !satisfies(matcher)(''));
  if (needsFeature !== undefined && ofSeverities.every((name) => engineAlertOf(name)?.subject !== 'feature')) {
    return `${text}: this alert is not about a feature, and has no label ${needsFeature.label}; remove ${shown(needsFeature)}`;
  }
  return undefined;
}

/** Alerts that can be about what is not listed any more. */
const ofFormer: readonly EngineRuleName[] = [
  'LicenseVendorLicenseVanished',
  'LicenseFeatureVanished',
  // the history is polled, and recorded, of such a feature too
  'LicenseDenials',
];

function* concatenated<T>(lists: readonly Iterable<T>[]): Generator<T, void> {
  for (const list of lists) yield* list;
}

/** What one of some alerts can be about, although it is not listed any more; `undefined` if that is not known. */
export function formerOf(
  isAlert: (name: string) => boolean,
  { history }: Pick<Config, 'history'>,
): (site: SiteNames) => Iterable<FormerName> | undefined {
  if (!ofFormer.some(isAlert)) return () => [];
  return ({ recorded, remembered }) => {
    const [ofHistory, ofAlerts] = [recorded(), remembered()];
    return ofHistory && ofAlerts && concatenated<FormerName>([history.features, ofHistory, ofAlerts]);
  };
}

/** Whether anything that an alert can be about has the labels of an entry. */
function siteEffect(group: Group, config: Configured, known: Known): Effect {
  const of = (name: string) => group.filter(({ label }) => label === name).map(satisfies);
  const [ofAlert, ofOwner, ofName] = [of('alertname'), of('vendor_license'), of('feature')];
  const ofFeature = group.flatMap((matcher) => {
    const read = featureLabels[matcher.label];
    const test = satisfies(matcher);
    return read === undefined || test('') ? [] : [(labels: FeatureLabels) => test(read(labels))];
  });
  if (ofOwner.every((test) => test('')) && ofFeature.length === 0) return 'some';
  const wanted = {
    vendorLicense: (name: string) => ofOwner.every((test) => test(name)),
    ...(ofFeature.length > 0 && {
      feature: {
        isNamed: (name: string) => ofName.every((test) => test(name)),
        isLike: (labels: FeatureLabels) => ofFeature.every((test) => test(labels)),
      },
    }),
  };
  const what = ofFeature.length > 0 ? 'feature' : 'vendor license';
  return listedEffect(
    known,
    wanted,
    () => `${group.map(shown).join(', ')} matches no ${what} that the analyzer lists; ${CORRECT}`,
    formerOf((name) => ofAlert.every((test) => test(name)), config),
  );
}

/** An entry. Labels of owners can change while the daemon runs. */
export function ignoredPart(group: Group, place: Pick<NamedPart, 'key' | 'where'>, config: Configured): NamedPart {
  return {
    ...place,
    effectIn: (known) => {
      const problem = ownProblem(group, config, known);
      if (problem !== undefined) return { none: problem };
      const open = group.filter(({ label }) => valuesOf(label, config, known) === undefined);
      const [hint] = open.flatMap((matcher) => hintOf(matcher) ?? []);
      if (hint !== undefined && known.site === undefined) return { hint };
      return withHint(siteEffect(group, config, known), hint, known);
    },
  };
}
