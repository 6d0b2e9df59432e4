import { z } from 'zod';
import { baseUrl } from '../../base/settings/addresses.ts';
import { camelized } from '../../base/settings/camel.ts';
import { listOf, mapOf, secretInFile, strictListOf, textOrMap } from '../../base/settings/structures.ts';
import { boolean, duration, isNot, isNotAddress, oneOf, text } from '../../base/settings/values.ts';

/** `alerting.alertmanagers`, with the keys of Prometheus' configuration. */

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

const entry = mapOf({
  scheme: oneOf('http', 'https').prefault('http'),
  path_prefix: pathPrefix.prefault('/'),
  timeout: duration(0.1, 600).prefault('10s'),
  api_version: oneOf('v2').optional(),
  basic_auth: basicAuth.optional(),
  authorization: authorization.optional(),
  tls_config: tlsConfig.prefault({}),
  static_configs: strictListOf(mapOf({ targets: strictListOf(target) })),
})
  .superRefine((written, context) => {
    if (written.basic_auth === undefined || written.authorization === undefined) return;
    const message = 'cannot be combined with basic_auth; remove one of them';
    context.addIssue({ code: 'custom', path: ['authorization'], message });
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
      })),
  );

const address = baseUrl('http://alertmanager:9093', 'write an entry with basic_auth in the file').transform((url) => [
  { url, timeout: 10, basicAuth: undefined, authorization: undefined, tls: tlsConfig.parse({}) },
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
