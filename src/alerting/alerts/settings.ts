import { z } from 'zod';
import type { ClientTls } from '../../base/model/client-tls.ts';
import { baseUrl } from '../../base/settings/addresses.ts';
import { camelized } from '../../base/settings/camel.ts';
import { labelMap, labelName, matchers } from '../../base/settings/labels.ts';
import type { Secret } from '../../base/settings/secret.ts';
import { listOf, mapOf, oneOrMore, secretInFile, strictListOf, textOrMap } from '../../base/settings/structures.ts';
import type { ValuesOf } from '../../base/settings/table.ts';
import { boolean, duration, isNot, isNotAddress, oneOf, text } from '../../base/settings/values.ts';
import { proxyKeys, proxyOf, proxyProblems } from './proxy-settings.ts';
import { ruleSettings } from './rules.ts';

/** Settings of alerts, and of the Alertmanagers, with the keys of Prometheus' configuration. */

const basicAuth = mapOf({ username: text, password_file: text }, { password: secretInFile('password') }).transform(
  camelized,
);

const authorization = mapOf(
  { type: text.prefault('Bearer'), credentials_file: text },
  { credentials: secretInFile('credentials') },
).transform(camelized);

const tlsConfig = mapOf(
  {
    ca_file: text.optional(),
    cert_file: text.optional(),
    key_file: text.optional(),
    server_name: text.optional(),
    insecure_skip_verify: boolean.prefault(false),
  },
  { key: secretInFile('key') },
).transform(camelized);

const TARGET = /^(?:\[[0-9a-fA-F:.]+\]|[^:/\s[\]@]+):\d{1,5}$/;
const targetForm = { error: isNotAddress('a target such as alertmanager:9093'), abort: true };
const target = z
  .string(targetForm)
  .trim()
  .regex(TARGET, targetForm)
  .refine((name) => URL.canParse(`http://${name}`), targetForm);

const pathForm = { error: isNot('a path such as /am'), abort: true };
const pathPrefix = z
  .string(pathForm)
  .trim()
  .regex(/^\/[^?#\s]*$/, pathForm)
  .transform((path) => path.replace(/\/+$/, ''));

/** Keys of Prometheus for a proxy that are not read, with what to write instead. */
const otherProxyKeys = {
  proxy_from_environment: 'is not supported; write the proxy as proxy_url',
  proxy_connect_header: 'is not supported; write user and password in the URL in the file of proxy_url_file',
};

const entry = mapOf(
  {
    scheme: oneOf('http', 'https').prefault('http'),
    path_prefix: pathPrefix.prefault('/'),
    timeout: duration(0.1, 600).prefault('10s'),
    api_version: oneOf('v2').optional(),
    basic_auth: basicAuth.optional(),
    authorization: authorization.optional(),
    tls_config: tlsConfig.prefault({}),
    ...proxyKeys,
    static_configs: strictListOf(mapOf({ targets: strictListOf(target) })),
  },
  otherProxyKeys,
)
  .superRefine((written, context) => {
    const refuse = (key: keyof typeof written, message: string): void =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (written.basic_auth !== undefined && written.authorization !== undefined) {
      refuse('authorization', 'cannot be combined with basic_auth; remove one of them');
    }
    for (const { key, message } of proxyProblems(written)) refuse(key, message);
  })
  .transform((written) =>
    written.static_configs
      .flatMap(({ targets }) => targets)
      .map((name) => ({
        url: `${written.scheme}://${name}${written.path_prefix}`,
        timeout: written.timeout,
        basicAuth: written.basic_auth,
        authorization: written.authorization,
        tls: written.tls_config,
        proxy: proxyOf(written),
      })),
  );

const address = baseUrl('http://alertmanager:9093', 'write an entry with basic_auth in the file').transform((url) => [
  { url, timeout: 10, basicAuth: undefined, authorization: undefined, tls: tlsConfig.parse({}), proxy: undefined },
]);

/**
 * A list of entries as in Prometheus' configuration, or of URLs. Environment and flags take URLs separated by commas.
 * The Alertmanagers of one entry stay together.
 */
export const alertmanagers = listOf(textOrMap(address, entry)).superRefine((entries, context) => {
  const urls = new Set<string>();
  for (const [i, { url }] of entries.flatMap((found, at) => found.map((one) => [at, one] as const))) {
    if (urls.has(url)) context.addIssue({ code: 'custom', path: [i], message: `${url} is listed twice` });
    urls.add(url);
  }
});

/** One Alertmanager, before its files are read. Durations are seconds; `url` has no trailing slash. */
export type AlertmanagerEntry = z.output<typeof alertmanagers>[number][number];

/** An Alertmanager that receives alerts. Durations are seconds. Secrets stay in their files, which are read for each request. */
export interface AlertmanagerConfig extends Omit<AlertmanagerEntry, 'tls'> {
  readonly tls: ClientTls<Secret>;
}

/** The keys of `alerting` that the engine, and the rules for Prometheus, read. */
export const engine = {
  alertmanager_external_url: baseUrl('https://alertmanager.example.com')
    .optional()
    .describe('URL of Alertmanager for people. Alerts link to a silence that is filled in for them.'),
  external_labels: labelMap.prefault({}).meta({ description: 'Labels added to every alert.', fileOnly: true }),
  evaluation_interval: duration(0.1, 600)
    .prefault('30s')
    .describe('How often the rules are evaluated. They are also evaluated after each poll.'),
  resend_delay: duration(0.1, 3600).prefault('1m').describe('How often a firing alert is sent again.'),
  resolve: oneOf('explicit', 'expire')
    .prefault('explicit')
    .describe(
      'How an alert ends in Alertmanager: `explicit` sends it as resolved, `expire` stops sending it. Use `expire` for two daemons side by side.',
    ),
  unknown_hold: duration(0, 30 * 86_400)
    .prefault('1h')
    .describe(
      'How long an alert is kept while there is no data about it, but about others. While nothing can be seen, it is kept for a day at most.',
    ),
  ignore: oneOrMore(matchers).prefault([]).meta({
    description: 'Matchers, such as `vendor_license="lic01;cdslmd"`. Alerts that match an entry are ignored.',
    fileOnly: true,
  }),
  rules: ruleSettings.prefault({}).meta({
    description: 'Thresholds and durations for each alert, see its section of deploy/runbooks.md.',
    fileOnly: true,
  }),
  prometheus_job: text
    .prefault('license-exporter')
    .describe('The job under which Prometheus scrapes the exporter. The command `rules` writes it into the rules.'),
  prometheus_labels: listOf(labelName)
    .prefault([])
    .describe(
      'Labels of the target in Prometheus, such as `cluster`, that alerts keep. The command `rules` writes them into the rules.',
    ),
  runbook_base_url: baseUrl('https://wiki.example.com/runbooks.md').optional().meta({
    description: 'URL of your copy of `deploy/runbooks.md`. Alerts link to their section of it.',
    shownDefault: '`/runbooks` of the daemon',
  }),
} as const;

/** Of alerts and of the rules for Prometheus. Durations are seconds. */
export type EngineSection = ValuesOf<typeof engine>;
