import type { FileReference } from './checked-settings.ts';
import type { AlertmanagerConfig } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { SettingKey } from './settings.ts';

/** The Alertmanagers of the alert engine, with the content of their files. */

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
    const files = settings.readTls({
      ca: referenceOf(raw, [i, 'tls_config', 'ca_file']),
      cert: referenceOf(raw, [i, 'tls_config', 'cert_file']),
      key: referenceOf(raw, [i, 'tls_config', 'key_file']),
    });
    return (entries?.[i] ?? []).map(
      ({ tls: { serverName, insecureSkipVerify }, basicAuth, authorization, ...entry }) => ({
        ...entry,
        basicAuth: basicAuth && { ...basicAuth, passwordFile: settings.pathOf(KEY, basicAuth.passwordFile) ?? '' },
        authorization: authorization && {
          ...authorization,
          credentialsFile: settings.pathOf(KEY, authorization.credentialsFile) ?? '',
        },
        tls: { ...files, serverName, insecureSkipVerify },
      }),
    );
  });
}
