import { proxyOf, proxyProblems } from '../../alerting/alerts/proxy-settings.ts';
import type { AlertmanagerConfig } from '../../alerting/alerts/settings.ts';
import type { EmailConfig, WebhookConfig } from '../../alerting/messages/settings.ts';
import { OFF } from '../../base/settings/values.ts';
import type { FileReference } from './checked-settings.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { SettingKey } from './settings.ts';

/** The receivers of alerts, mail, webhook and Alertmanagers, with the content of their files. */

/** Reports what is missing if only one of two settings is set. */
function needBoth(settings: ConfigSettings, one: SettingKey, other: SettingKey): void {
  const [hasOne, hasOther] = [settings.value(one) !== undefined, settings.value(other) !== undefined];
  if (hasOne && !hasOther) settings.need(other, one);
  if (hasOther && !hasOne) settings.need(one, other);
}

/** The mail server; `undefined` if none is configured. Reports problems of its settings and files. */
export function emailOf(settings: ConfigSettings): EmailConfig | undefined {
  const smarthost = settings.value('alerting.email.smarthost');
  const first = settings.firstSettingOf('alerting.email');
  const tls = settings.clientTls('alerting.email.tls_config');
  const passwordFile = settings.secretFile('alerting.email.auth_password_file');
  const { to = [], authUsername, ...email } = settings.section('alerting').email;
  if (first === undefined) return undefined;
  if (smarthost === undefined) {
    settings.need('alerting.email.smarthost', first);
    return undefined;
  }
  if (email.from === undefined) settings.need(`alerting.email.from`, 'alerting.email.smarthost');
  if (to.length === 0) settings.need('alerting.email.to', 'alerting.email.smarthost');
  needBoth(settings, 'alerting.email.auth_username', 'alerting.email.auth_password_file');
  const { hello, requireTls, sendResolved, digest, owners = {} } = email;
  return {
    ...smarthost,
    from: email.from ?? '',
    to,
    owners: new Map(Object.entries(owners)),
    username: authUsername,
    passwordFile,
    requireTls,
    tls,
    hello,
    sendResolved,
    digest: digest === OFF ? undefined : digest,
  };
}

/** The webhook; `undefined` if none is configured. Reports problems of its settings and files. */
export function webhookOf(settings: ConfigSettings): WebhookConfig | undefined {
  const first = settings.firstSettingOf('alerting.webhook');
  const tls = settings.clientTls('alerting.webhook.tls_config');
  const urlFile = settings.secretFile('alerting.webhook.url_file');
  const passwordFile = settings.secretFile('alerting.webhook.basic_auth.password_file');
  const credentialsFile = settings.secretFile('alerting.webhook.authorization.credentials_file');
  const proxyFile = settings.secretFile('alerting.webhook.proxy_url_file');
  const {
    url,
    basicAuth,
    authorization,
    timeout,
    sendResolved,
    digest,
    proxyUrl,
    noProxy = [],
  } = settings.section('alerting').webhook;
  const proxy = { proxy_url: proxyUrl, proxy_url_file: proxyFile, no_proxy: noProxy };
  if (first === undefined) return undefined;
  if (url === undefined && urlFile === undefined) settings.need('alerting.webhook.url', first);
  if (url !== undefined && urlFile !== undefined) {
    settings.refuse('alerting.webhook.url_file', 'cannot be combined with alerting.webhook.url; remove one of them');
  }
  const { username } = basicAuth;
  needBoth(settings, 'alerting.webhook.basic_auth.username', 'alerting.webhook.basic_auth.password_file');
  if (passwordFile !== undefined && credentialsFile !== undefined) {
    const key = 'alerting.webhook.authorization.credentials_file';
    settings.refuse(key, 'cannot be combined with basic_auth; remove one of them');
  }
  for (const { key, message } of proxyProblems(proxy)) settings.refuse(`alerting.webhook.${key}`, message);
  return {
    url,
    urlFile,
    basicAuth: username === undefined || passwordFile === undefined ? undefined : { username, passwordFile },
    authorization: credentialsFile === undefined ? undefined : { type: authorization.type, credentialsFile },
    tls,
    proxy: proxyOf(proxy),
    timeout,
    sendResolved,
    digest: digest === OFF ? undefined : digest,
  };
}

const KEY = 'alerting.alertmanagers' satisfies SettingKey;

/** A part of a raw value. */
function partOf(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (map, name) =>
      typeof map === 'object' && map !== null && Object.hasOwn(map, name) ? Reflect.get(map, name) : undefined,
    raw,
  );
}

/** A file named in a raw entry. The entry can be invalid otherwise. */
function referenceOf(raw: unknown, path: readonly PropertyKey[]): FileReference<SettingKey> {
  const file = partOf(raw, path);
  return { key: KEY, path, file: typeof file === 'string' && file.trim() !== '' ? file : undefined };
}

/** Checks a file with a secret. It is read again for each request. */
function trySecret(settings: ConfigSettings, reference: FileReference<SettingKey>): void {
  if (settings.readSecretFile(reference)?.trim() !== '') return;
  settings.refuse(KEY, `${settings.pathOf(KEY, reference.file)} is empty`, reference.path);
}

/** The configured Alertmanagers. Reports problems of their files. */
export function alertmanagersOf(settings: ConfigSettings): readonly AlertmanagerConfig[] {
  const raw = settings.rawSetting(KEY)?.raw;
  const entries = settings.value(KEY);
  return (Array.isArray(raw) ? raw : (entries ?? [])).flatMap((_, i) => {
    trySecret(settings, referenceOf(raw, [i, 'basic_auth', 'password_file']));
    trySecret(settings, referenceOf(raw, [i, 'authorization', 'credentials_file']));
    trySecret(settings, referenceOf(raw, [i, 'proxy_url_file']));
    const files = settings.readTls({
      ca: referenceOf(raw, [i, 'tls_config', 'ca_file']),
      cert: referenceOf(raw, [i, 'tls_config', 'cert_file']),
      key: referenceOf(raw, [i, 'tls_config', 'key_file']),
    });
    return (entries?.[i] ?? []).map(
      ({ tls: { serverName, insecureSkipVerify }, basicAuth, authorization, proxy, ...entry }) => ({
        ...entry,
        basicAuth: basicAuth && { ...basicAuth, passwordFile: settings.pathOf(KEY, basicAuth.passwordFile) ?? '' },
        authorization: authorization && {
          ...authorization,
          credentialsFile: settings.pathOf(KEY, authorization.credentialsFile) ?? '',
        },
        tls: { ...files, serverName, insecureSkipVerify },
        proxy: proxy && { ...proxy, urlFile: settings.pathOf(KEY, proxy.urlFile) },
      }),
    );
  });
}
