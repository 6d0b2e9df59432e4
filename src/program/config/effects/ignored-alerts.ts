import { severities } from '../../../alerting/alerts/alert-classes.ts';
import { engineAlertOf, prometheusAlerts } from '../../../alerting/alerts/definitions.ts';
import { engineNames } from '../../../alerting/alerts/rules.ts';
import { identityLabels, scopeLabels } from '../../../base/model/alert-labels.ts';
import { fieldEndpoints, recordFields } from '../../../base/query-api/records.ts';
import type { Matcher } from '../../../base/settings/labels.ts';
import { suggest } from '../../../base/settings/names.ts';
import { analyzerIdentity } from '../../../exporter/client/identity.ts';
import type { FeatureLabels } from '../../../exporter/inventory/feature-row.ts';
import type { Config } from '../config.ts';
import type { Effect, Known, NamedPart } from './effect.ts';
import { CORRECT, globProblem, listedEffect } from './expressions.ts';

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

type Configured = Pick<Config, 'alerting' | 'embeddedAnalyzer' | 'analyzer' | 'analyzerName' | 'shard'>;

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

/** Why nothing can have the value of a matcher; `undefined` if something can. */
function valueProblem(matcher: Matcher, config: Configured, known: Known): string | undefined {
  const { label, operator, value } = matcher;
  const isExpression = operator.endsWith('~');
  const glob = isExpression ? globProblem(value) : undefined;
  if (glob !== undefined) return `${label}: ${glob}`;
  const values = valuesOf(label, config, known);
  const test = valueTest(matcher);
  // an empty value is a label that an alert does not have
  if (values?.some(test) === true || test('')) return undefined;
  if (!isExpression && value.includes('*')) {
    return `${shown(matcher)} is compared as it is; for a pattern, write ${label}=~${JSON.stringify(value.replaceAll('*', '.*'))}`;
  }
  if (values === undefined) return undefined;
  if (label === 'alertname' && isOfPrometheus(value)) {
    return `${value} is evaluated by Prometheus alone, where this setting does not count; silence it in Alertmanager`;
  }
  const near = isExpression ? '' : suggest(value, values);
  return `no alert has ${shown({ ...matcher, operator: isExpression ? '=~' : '=' })}${near === '' ? `; ${CORRECT}` : near}`;
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

/** Whether anything that is listed has the labels of an entry. */
function siteEffect(group: Group, known: Known): Effect {
  const ofOwner = group.filter(({ label }) => label === 'vendor_license').map(satisfies);
  const ofFeature = group.flatMap((matcher) => {
    const read = featureLabels[matcher.label];
    const test = satisfies(matcher);
    return read === undefined || test('') ? [] : [(labels: FeatureLabels) => test(read(labels))];
  });
  if (ofOwner.every((test) => test('')) && ofFeature.length === 0) return 'some';
  const wanted = {
    vendorLicense: (name: string) => ofOwner.every((test) => test(name)),
    ...(ofFeature.length > 0 && { feature: (labels: FeatureLabels) => ofFeature.every((test) => test(labels)) }),
  };
  const what = ofFeature.length > 0 ? 'feature' : 'vendor license';
  return listedEffect(
    known,
    wanted,
    () => `${group.map(shown).join(', ')} matches no ${what} that the analyzer lists; ${CORRECT}`,
  );
}

/** An entry. Labels of owners can change while the daemon runs. */
export function ignoredPart(group: Group, place: Pick<NamedPart, 'key' | 'where'>, config: Configured): NamedPart {
  return {
    ...place,
    effectIn: (known) => {
      const labels = labelsOf(config, known);
      for (const matcher of group) {
        const problem = labelProblem(matcher, labels) ?? valueProblem(matcher, config, known);
        if (problem !== undefined) return { none: problem };
      }
      const contradiction = contradictionIn(group);
      return contradiction === undefined ? siteEffect(group, known) : { none: contradiction };
    },
  };
}
