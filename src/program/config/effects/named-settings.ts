import { canonical } from '../../../base/model/vendor-license.ts';
import { runAtOnce } from '../../../base/scheduling/slices.ts';
import { suggest } from '../../../base/settings/names.ts';
import type { ValueOf } from '../../../base/settings/table.ts';
import { durationText } from '../../../base/texts.ts';
import type { FeatureLabels } from '../../../exporter/inventory/feature-row.ts';
import { EVERYONE, GROUP } from '../../../site/settings.ts';
import type { Config } from '../config.ts';
import type { ConfigSettings } from '../config-settings.ts';
import type { Placed } from '../entry-file.ts';
import type { SettingKey, sections } from '../settings.ts';
import { type Known, lookAt, type NamedPart, withHint } from './effect.ts';
import { historyParts, ownerParts, priceParts, reservationParts } from './entries.ts';
import { CORRECT, globProblem, listedEffect, selectingParts, written } from './expressions.ts';
import { formerOf, ignoredPart } from './ignored-alerts.ts';

/** Every setting with a text: whether it names or selects something known elsewhere, and how that is looked up. */

/** A configuration before its patterns and names are looked up. */
export type LoadedConfig = Omit<Config, 'named' | 'withoutEffect' | 'hints' | 'warnings'>;

/** What the parts are made from. */
interface Subject {
  readonly settings: ConfigSettings;
  readonly config: LoadedConfig;
}

/** Why a setting is not looked up: what its text is. `entries` have their own parts. */
type Other =
  | 'address'
  | 'file'
  | 'time'
  /** Given here, and known nowhere else. */
  | 'own name'
  | 'account'
  | 'protocol'
  /** Refused unless it is known. */
  | 'known'
  /** With the setting above. */
  | 'above'
  | 'entries';

/** Where a part is. */
type Place = Pick<NamedPart, 'key' | 'where'>;

type PartsOf = (subject: Subject) => readonly NamedPart[];

/** Whether a value has a text that can be anything. */
type HasText<V> = V extends string ? (string extends V ? true : never) : V extends object ? true : never;

/** Settings that could name something. A number, a switch and one of several words cannot. */
type Textual = {
  [K in SettingKey]: true extends HasText<ValueOf<typeof sections, K>> ? K : never;
}[SettingKey];

const placeOf = ({ settings }: Subject, key: SettingKey, path?: readonly PropertyKey[]): Place =>
  settings.placeOfPart(key, path);

/** The entries of a list, with their places. */
const placed = <E>(subject: Subject, key: SettingKey, entries: readonly E[]): readonly Placed<E>[] =>
  entries.map((entry, i) => ({ ...placeOf(subject, key, [i]), entry }));

/** A part of which the configuration alone decides. */
const always = (place: Place, none: string): NamedPart => ({ ...place, effectIn: () => ({ none }) });

/** A part that is compared with what no site names. */
const hinted = (place: Place, hint: string): NamedPart => ({
  ...place,
  effectIn: (known) => withHint('unknown', hint, known),
});

const selectParts: PartsOf = (subject) => {
  const { include, exclude } = subject.config.select;
  const isProduct = (expression: RegExp, products: readonly string[]): boolean =>
    products.some((name) => expression.test(name));
  return selectingParts({
    include,
    exclude,
    key: 'select',
    where: (list, i) => placeOf(subject, `select.${list}`, [i]).where,
    findIncluded: (expression, { products, isProductListComplete }) => {
      if (isProduct(expression, products)) return 'some';
      const none = `${JSON.stringify(written(expression))} matches no vendor license that the analyzer lists; ${CORRECT}`;
      return isProductListComplete ? { none } : 'unknown';
    },
    findExcluded: (expression, { products, featureNames, isComplete, vendorLicenses }) => {
      if (isProduct(expression, products)) return 'some';
      if (featureNames.values().some((name) => expression.test(name))) return 'some';
      const none = `${JSON.stringify(written(expression))} excludes nothing: it matches no vendor license and no feature that the analyzer lists; ${CORRECT}`;
      return isComplete && vendorLicenses.every((one) => one.isComplete) ? { none } : 'unknown';
    },
  });
};

const sourceParts: PartsOf = ({ settings, config }) =>
  config.embeddedAnalyzer.sources.flatMap(({ name, features: { include, exclude } }) =>
    selectingParts({
      include,
      exclude,
      key: `source ${name}: features`,
      where: (list, i) => settings.sourcePlaces.get(name)?.(['features', list, i]) ?? '',
      findIncluded: (expression, { sources, vendorLicenses, leftOut }) => {
        const source = sources.find((one) => one.name === name);
        const own = new Set(source?.vendorLicenses.map(canonical));
        const mine = vendorLicenses.filter((one) => own.has(canonical(one.name)));
        const isIncluded = mine.some(({ features }) => features.some(({ feature }) => expression.test(feature)));
        if (isIncluded) return 'some';
        if (source?.up !== true || mine.length < own.size || !mine.every((one) => one.isComplete)) return 'unknown';
        // one that select.exclude leaves out can be of this source
        if (leftOut.featureNames.some((one) => expression.test(one))) return 'unknown';
        return { none: `${JSON.stringify(written(expression))} matches no feature of this source; ${CORRECT}` };
      },
      // what is excluded never comes here
      findExcluded: () => 'unknown',
    }),
  );

/** Why an entry of the lists selects no user, with the remedy; `undefined` if it can select one. */
function viewerProblem(entry: string, { trustedProxy, access }: Config['web'], users: ReadonlySet<string> | undefined) {
  if (entry.startsWith(GROUP)) {
    return trustedProxy?.groupsHeader === undefined
      ? 'is a group, and no proxy names groups: set web.trusted_proxy.groups_header'
      : undefined;
  }
  // whom a proxy names is not known before
  if (entry === EVERYONE || trustedProxy !== undefined || users?.has(entry) === true) return undefined;
  const remedy = access === undefined ? 'set web.config_file' : 'add it to basic_auth_users';
  return `is no user of the web config, and is shown nothing: ${remedy}`;
}

/** Users and groups, without their names. */
const viewerParts =
  (what: 'names' | 'prices' | 'reclaim'): PartsOf =>
  (subject) => {
    const { access, web } = subject.config;
    const list = access[what];
    if (list === 'auto') return [];
    return list.map((entry, i) => {
      const { key, where } = placeOf(subject, `access.${what}`, [i]);
      const effectIn: NamedPart['effectIn'] = ({ users }) => {
        const none = viewerProblem(entry, web, users);
        return none === undefined ? 'some' : { none };
      };
      return { key, where, effectIn };
    });
  };

const mailOwnerParts: PartsOf = (subject) => {
  const { email, externalLabels } = subject.config.alerting;
  return [...(email?.owners ?? [])].map(([owner, addresses]) => {
    const { key, where } = placeOf(subject, 'alerting.email.owners', [owner]);
    const effectIn: NamedPart['effectIn'] = ({ owners }) => {
      if (addresses.length === 0)
        return { none: 'has no address, so that nobody gets its mails; add one, or remove it' };
      const names = [...owners.flatMap(({ labels }) => labels.owner ?? []), externalLabels.owner ?? []].flat();
      if (names.includes(owner)) return 'some';
      const near = suggest(owner, names);
      return { none: `no entry of owners has this owner${near === '' ? `; add it to owners, or remove it` : near}` };
    };
    return { key, where, effectIn };
  });
};

/** Patterns of the values of an alert, such as `icon_pattern`. What they are compared with is no list. */
const globsIn = (values: object): readonly string[] =>
  Object.values(values).flatMap((value) => (value instanceof RegExp ? (globProblem(written(value)) ?? []) : []));

const ruleParts: PartsOf = (subject) =>
  Object.entries(subject.config.alerting.rules).flatMap(([name, { base, overrides }]) => {
    const ofBase = globsIn(base).map((hint) => hinted(placeOf(subject, 'alerting.rules', [name]), hint));
    const ofOverrides = overrides.flatMap(({ vendorLicense, feature, values }, i): readonly NamedPart[] => {
      const place = placeOf(subject, 'alerting.rules', [name, 'overrides', i]);
      const expressions = [vendorLicense, feature].flatMap((expression) => (expression ? [written(expression)] : []));
      const [hint] = expressions.flatMap((text) => globProblem(text) ?? []);
      const texts = expressions.map((text) => JSON.stringify(text)).join(', ');
      const what = feature === undefined ? 'vendor license' : 'feature';
      const wanted = {
        vendorLicense: (listed: string) => vendorLicense?.test(listed) ?? true,
        ...(feature && {
          feature: {
            isNamed: (listed: string) => feature.test(listed),
            isLike: (labels: FeatureLabels) => feature.test(labels.feature),
          },
        }),
      };
      const none = `${texts} matches no ${what} that the analyzer lists; ${CORRECT}`;
      const former = formerOf((alert) => alert === name, subject.config);
      const effectIn: NamedPart['effectIn'] = (known) => {
        const effect = listedEffect(known, wanted, () => none, former);
        return withHint(effect, hint, known);
      };
      return [{ ...place, effectIn }, ...globsIn(values).map((text) => hinted(place, text))];
    });
    return [...ofBase, ...ofOverrides];
  });

const historyFeatureParts: PartsOf = (subject) => {
  const { history, metrics, poll } = subject.config;
  const key = 'history.features';
  const isSet = history.features.length > 0;
  if (metrics.collectors.history && !isSet) {
    const none = 'is on, but history.features is empty: no history is polled; add features, or set it to false';
    return [always(placeOf(subject, 'metrics.collectors.history'), none)];
  }
  if (!isSet) return [];
  if (!metrics.collectors.history) {
    const none = 'is not read while the collector history is off; set metrics.collectors.history: true';
    return [always(placeOf(subject, key), none)];
  }
  if (poll.history === 'off') {
    return [always(placeOf(subject, key), 'is not polled while poll.history is off; set its schedule')];
  }
  return historyParts(placed(subject, key, history.features));
};

const retentionParts: PartsOf = (subject) => {
  const { samples, history } = subject.config.embeddedAnalyzer.retention;
  if (history >= samples) return [];
  const key = 'embedded_analyzer.retention';
  const set = subject.settings.rawSetting(`${key}.history`) === undefined ? 'samples' : 'history';
  const none = `retention.history is below retention.samples: summaries are deleted before the samples that they sum up; set history to ${durationText(samples)} or more, or lower samples`;
  return [always(placeOf(subject, `${key}.${set}`), none)];
};

const sourceFileParts: PartsOf = (subject) =>
  subject.settings.emptySourceFiles.map((i) =>
    always(
      placeOf(subject, 'embedded_analyzer.source_files', [i]),
      `matches no file, so that it adds no source; ${CORRECT}`,
    ),
  );

const sourceDefaultsParts: PartsOf = (subject) => {
  const key = 'embedded_analyzer.source_defaults';
  const isSet = subject.settings.rawSetting(key) !== undefined;
  if (!isSet || subject.config.embeddedAnalyzer.sources.length > 0) return [];
  return [always(placeOf(subject, key), 'has no effect without sources; add sources, or remove it')];
};

const analyzerTlsParts: PartsOf = (subject) => {
  const { analyzer } = subject.config;
  const first = subject.settings.firstSettingOf('analyzer.tls');
  if (first === undefined || analyzer?.url.startsWith('http:') !== true) return [];
  return [
    always(
      placeOf(subject, first),
      'is not used, because analyzer.url begins with http://; write https://, or remove it',
    ),
  ];
};

const pseudonymParts: PartsOf = (subject) => {
  const key = 'datasource.pseudonym_key_file';
  const { settings, config } = subject;
  if (settings.rawSetting(key) === undefined || config.datasource.pseudonymKey !== undefined) return [];
  return [
    always(placeOf(subject, key), 'is not read without datasource.pseudonymise: true; set it, or remove the file'),
  ];
};

const ignoreParts: PartsOf = (subject) =>
  subject.config.alerting.ignore.map((group, i) =>
    ignoredPart(group, placeOf(subject, 'alerting.ignore', [i]), subject.config),
  );

const withoutReservationsParts: PartsOf = (subject) => {
  const key = 'rightsizing.without_reservations';
  return reservationParts(placed(subject, key, subject.config.rightsizing.withoutReservations));
};

/**
 * How each setting with a text is looked up, or what its text is. One that is left out does not compile. Others can have parts
 * too.
 */
const namedSettings: { readonly [K in Textual]: PartsOf | Other } & {
  readonly [K in Exclude<SettingKey, Textual>]?: PartsOf;
} = {
  'analyzer.url': 'address',
  'analyzer.name': 'own name',
  'analyzer.username': 'account',
  'analyzer.domain': 'account',
  'analyzer.workstation': 'own name',
  'analyzer.password': 'account',
  'analyzer.password_file': 'file',
  'analyzer.logon_file': 'file',
  'analyzer.absent_fields': 'known',
  'analyzer.tls.ca_file': analyzerTlsParts,
  'analyzer.tls.cert_file': 'file',
  'analyzer.tls.key_file': 'file',
  'analyzer.tls.server_name': 'address',
  'poll.products': 'time',
  'poll.server_down': 'time',
  'poll.concurrent_users': 'time',
  'poll.features': 'time',
  'poll.expirations': 'time',
  'poll.history': 'time',
  'select.include': selectParts,
  'select.exclude': 'above',
  'history.features': historyFeatureParts,
  'storage.path': 'file',
  'storage.archive.url': 'address',
  'storage.archive.password_file': 'file',
  'storage.archive.schema': 'own name',
  'storage.archive.tls.ca_file': 'file',
  'storage.archive.tls.cert_file': 'file',
  'storage.archive.tls.key_file': 'file',
  'storage.archive.tls.server_name': 'address',
  'web.listen_address': 'address',
  'web.telemetry_path': 'own name',
  'web.config_file': 'file',
  'web.trusted_proxy.from': 'address',
  'web.trusted_proxy.user_header': 'protocol',
  'web.trusted_proxy.groups_header': 'protocol',
  'web.external_url': 'address',
  'access.names': viewerParts('names'),
  'access.prices': viewerParts('prices'),
  'access.reclaim': viewerParts('reclaim'),
  'alerting.alertmanagers': 'address',
  'alerting.email.smarthost': 'address',
  'alerting.email.from': 'address',
  'alerting.email.to': 'address',
  'alerting.email.owners': mailOwnerParts,
  'alerting.email.auth_username': 'account',
  'alerting.email.auth_password_file': 'file',
  'alerting.email.tls_config.ca_file': 'file',
  'alerting.email.tls_config.cert_file': 'file',
  'alerting.email.tls_config.key_file': 'file',
  'alerting.email.tls_config.server_name': 'address',
  'alerting.email.hello': 'own name',
  'alerting.email.digest': 'time',
  'alerting.webhook.url': 'address',
  'alerting.webhook.url_file': 'file',
  'alerting.webhook.basic_auth.username': 'account',
  'alerting.webhook.basic_auth.password_file': 'file',
  'alerting.webhook.authorization.type': 'protocol',
  'alerting.webhook.authorization.credentials_file': 'file',
  'alerting.webhook.tls_config.ca_file': 'file',
  'alerting.webhook.tls_config.cert_file': 'file',
  'alerting.webhook.tls_config.key_file': 'file',
  'alerting.webhook.tls_config.server_name': 'address',
  'alerting.webhook.proxy_url': 'address',
  'alerting.webhook.proxy_url_file': 'file',
  'alerting.webhook.no_proxy': 'address',
  'alerting.webhook.digest': 'time',
  'alerting.alertmanager_external_url': 'address',
  'alerting.external_labels': 'own name',
  'alerting.ignore': ignoreParts,
  'alerting.rules': ruleParts,
  'alerting.prometheus_job': 'own name',
  'alerting.prometheus_labels': 'own name',
  'alerting.runbook_base_url': 'address',
  'datasource.path': 'own name',
  'datasource.pseudonym_key_file': pseudonymParts,
  'datasource.time_zone': 'known',
  'rightsizing.schedule': 'time',
  'rightsizing.working_time': 'time',
  'rightsizing.without_reservations': withoutReservationsParts,
  'rightsizing.price_file': 'entries',
  owners: 'entries',
  owners_file: 'entries',
  'embedded_analyzer.listen_address': 'address',
  'embedded_analyzer.domain': 'own name',
  'embedded_analyzer.users_file': 'file',
  'embedded_analyzer.tls.cert_file': 'file',
  'embedded_analyzer.tls.key_file': 'file',
  'embedded_analyzer.time_zone': 'known',
  'embedded_analyzer.retention.history': retentionParts,
  'embedded_analyzer.sources': sourceParts,
  'embedded_analyzer.source_defaults': sourceDefaultsParts,
  'embedded_analyzer.source_files': sourceFileParts,
  'embedded_analyzer.web_listen_address': 'address',
};

/** The patterns and names of a configuration, without those of owners and prices, which can change while a daemon runs. */
export const namedPartsOf = (settings: ConfigSettings, config: LoadedConfig): readonly NamedPart[] =>
  Object.values<PartsOf | Other>(namedSettings).flatMap((partsOf) =>
    typeof partsOf === 'string' ? [] : partsOf({ settings, config }),
  );

/** All patterns and names of a configuration, as its files were when it was loaded. */
export const allParts = ({
  named,
  owners,
  prices,
}: Pick<Config, 'named' | 'owners' | 'prices'>): readonly NamedPart[] => [
  ...named,
  ...ownerParts(owners.placed),
  ...priceParts(prices.placed),
];

/** Whether anything of it could have an effect or none, depending on the site. */
export const hasNames = (config: Config): boolean =>
  runAtOnce(lookAt(allParts(config), knownBy(config))).unknown.length > 0;

/** What is known by a configuration alone. */
export const knownBy = ({ owners, web }: Pick<Config, 'owners' | 'web'>): Known => ({
  owners: owners.entries,
  users: web.access && new Set(web.access.users.keys()),
  site: undefined,
});
