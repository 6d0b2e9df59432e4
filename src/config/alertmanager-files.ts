import type { AlertmanagerConfig } from './config.ts';
import type { Draft } from './draft.ts';
import type { SettingKey } from './settings.ts';
import type { FileReference } from './sheet.ts';

/** The Alertmanagers of the alert engine, with the files they name. */

const KEY = 'alerting.alertmanagers' satisfies SettingKey;

/** A part of a raw value. */
function partOf(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (map, name) =>
      typeof map === 'object' && map !== null && Object.hasOwn(map, name) ? Reflect.get(map, name) : undefined,
    raw,
  );
}

/** A file that a raw entry names, also where the entry is wrong in something else. */
function referenceOf(raw: unknown, path: readonly PropertyKey[]): FileReference<SettingKey> {
  const file = partOf(raw, path);
  return { key: KEY, path, file: typeof file === 'string' && file.trim() !== '' ? file : undefined };
}

/** Tries a file with a secret, which is read again for each request. */
function trySecret(draft: Draft, reference: FileReference<SettingKey>): void {
  if (draft.readSecretFile(reference)?.trim() !== '') return;
  draft.refuse(KEY, `${draft.pathOf(KEY, reference.file)} is empty`, reference.path);
}

/** The Alertmanagers to tell, with what their files hold. Reports what is wrong with the files. */
export function alertmanagersOf(draft: Draft): readonly AlertmanagerConfig[] {
  const raw = draft.given(KEY)?.raw;
  const entries = draft.value(KEY);
  return (Array.isArray(raw) ? raw : (entries ?? [])).flatMap((_, i) => {
    trySecret(draft, referenceOf(raw, [i, 'basic_auth', 'password_file']));
    trySecret(draft, referenceOf(raw, [i, 'authorization', 'credentials_file']));
    const files = draft.readTls({
      ca: referenceOf(raw, [i, 'tls_config', 'ca_file']),
      cert: referenceOf(raw, [i, 'tls_config', 'cert_file']),
      key: referenceOf(raw, [i, 'tls_config', 'key_file']),
    });
    return (entries?.[i] ?? []).map(
      ({ tls: { serverName, insecureSkipVerify }, basicAuth, authorization, ...entry }) => ({
        ...entry,
        basicAuth: basicAuth && { ...basicAuth, passwordFile: draft.pathOf(KEY, basicAuth.passwordFile) ?? '' },
        authorization: authorization && {
          ...authorization,
          credentialsFile: draft.pathOf(KEY, authorization.credentialsFile) ?? '',
        },
        tls: { ...files, serverName, insecureSkipVerify },
      }),
    );
  });
}
