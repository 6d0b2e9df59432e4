import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** Makes the manifest for the Prometheus operator from the example for Alertmanager: the same routes, receivers and inhibitions. */

const HEAD = `# Made by \`npm run rules\` from deploy/alertmanager/alertmanager.yml, for the Prometheus operator. It is not part of
# \`kubectl apply -k deploy/kubernetes/operator\`. Edit the addresses, and remove integrations that you do not have. Then:
#   kubectl create configmap license-exporter-templates --from-file=deploy/alertmanager/templates/licenses.tmpl
#   kubectl create secret generic license-exporter-receivers --from-file=pagerduty-key --from-file=slack-url
#   kubectl apply -f alertmanager-config.yml
# Alertmanager must load the templates, and the alerts have no label \`namespace\`, which the operator adds to every route. For an
# Alertmanager of its own, in the same namespace, write into its manifest:
#   spec:
#     alertmanagerConfiguration:
#       name: license-exporter
#       templates: [{configMap: {name: license-exporter-templates, key: licenses.tmpl}}]
# For one that others use too, which needs a matcher in the first route, see docs/install.md. The hour of the digest is in UTC: the operator knows no time zone here.
`;

interface Route {
  readonly matchers?: readonly string[];
  readonly routes?: readonly Route[];
}
type Settings = Readonly<Record<string, unknown>>;

interface Example {
  readonly global: { readonly smtp_smarthost: string; readonly smtp_from: string };
  readonly route: Route;
  readonly time_intervals: readonly {
    readonly name: string;
    readonly time_intervals: readonly {
      readonly weekdays: readonly string[];
      readonly times: readonly { readonly start_time: string; readonly end_time: string }[];
    }[];
  }[];
  readonly inhibit_rules: readonly {
    readonly source_matchers: readonly string[];
    readonly target_matchers: readonly string[];
    readonly equal?: readonly string[];
  }[];
  readonly receivers: readonly ({ readonly name: string } & Settings)[];
}

/** The text of the example with all its integrations, which are comments. */
const withIntegrations = (text: string): string => text.replace(/^( +)# (\w+_configs:| {2})/gm, '$1$2');

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const camelKeys = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [camel(name), value]));

function matcherOf(text: string): Settings {
  const [, name, matchType, value] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`the matcher ${text} is not understood`);
  return { name, matchType, value };
}

const routeOf = ({ matchers, routes, ...settings }: Route): Settings => ({
  ...(matchers !== undefined && { matchers: matchers.map(matcherOf) }),
  ...camelKeys(settings as Settings),
  ...(routes !== undefined && { routes: routes.map(routeOf) }),
});

const secret = (key: string) => ({ name: 'license-exporter-receivers', key });
const pairs = (values: unknown) => Object.entries(values as Settings).map(([key, value]) => ({ key, value }));

/** What an integration has in another form here. */
const integrations: Readonly<Record<string, (settings: Settings, global: Example['global']) => Settings>> = {
  email_configs: ({ headers, ...settings }, global) => ({
    ...{ smarthost: global.smtp_smarthost, from: global.smtp_from },
    ...camelKeys(settings),
    headers: pairs(headers),
  }),
  slack_configs: ({ api_url_file: _, ...settings }) => ({ apiURL: secret('slack-url'), ...camelKeys(settings) }),
  pagerduty_configs: ({ routing_key_file: _, details, links, ...settings }) => ({
    routingKey: secret('pagerduty-key'),
    ...camelKeys(settings),
    details: pairs(details),
    pagerDutyLinkConfigs: (links as readonly Settings[]).map(({ href, text }) => ({ href, alt: text })),
  }),
  webhook_configs: camelKeys,
};

function receiverOf({ name, ...kinds }: Example['receivers'][number], global: Example['global']): Settings {
  const converted = Object.entries(kinds).map(([kind, list]) => {
    const convert = integrations[kind];
    if (convert === undefined) throw new Error(`${kind} of ${name} has no form in an AlertmanagerConfig`);
    const key = kind === 'pagerduty_configs' ? 'pagerdutyConfigs' : camel(kind);
    return [key, (list as readonly Settings[]).map((settings) => convert(settings, global))];
  });
  return { name, ...Object.fromEntries(converted) };
}

/** The manifest as text. */
export function alertmanagerConfig(): string {
  const text = readFileSync(join(import.meta.dirname, '../alertmanager/alertmanager.yml'), 'utf8');
  const example = parse(withIntegrations(text)) as Example;
  const manifest = {
    apiVersion: 'monitoring.coreos.com/v1alpha1',
    kind: 'AlertmanagerConfig',
    metadata: { name: 'license-exporter', labels: { 'app.kubernetes.io/name': 'license-exporter' } },
    spec: {
      route: routeOf(example.route),
      muteTimeIntervals: example.time_intervals.map(({ name, time_intervals: intervals }) => ({
        name,
        timeIntervals: intervals.map(({ weekdays, times }) => ({
          weekdays,
          times: times.map((time) => camelKeys(time)),
        })),
      })),
      inhibitRules: example.inhibit_rules.map(({ source_matchers: source, target_matchers: target, equal }) => ({
        sourceMatch: source.map(matcherOf),
        targetMatch: target.map(matcherOf),
        ...(equal !== undefined && { equal }),
      })),
      receivers: example.receivers.map((receiver) => receiverOf(receiver, example.global)),
    },
  };
  return `${HEAD}${stringify(manifest, { lineWidth: 0 })}`;
}
