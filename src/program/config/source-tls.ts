import { type TlsRole, tryTls } from '../../base/files/certificates.ts';
import { readText } from '../../base/files/named-files.ts';
import type { TlsContent, TlsPaths } from '../../base/model/client-tls.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { ConfigSettings } from './config-settings.ts';

/** The content of TLS files of a source, as PEM, and their paths. */
export interface SourceTlsFiles extends TlsContent<Secret> {
  readonly files: TlsPaths;
}

/** Reads and checks the files, which are absolute paths. */
export function readSourceTls(
  settings: ConfigSettings,
  files: Readonly<Record<TlsRole, string | undefined>>,
  refuse: (role: TlsRole, message: string) => void,
): SourceTlsFiles {
  const textOf = (role: TlsRole): string | undefined => {
    const file = files[role];
    if (file === undefined) return undefined;
    const found = readText(file);
    if ('text' in found) return found.text;
    refuse(role, `${file} ${found.why}`);
    return undefined;
  };
  if (files.cert !== undefined && files.key === undefined) refuse('cert', 'needs key_file too');
  if (files.key !== undefined && files.cert === undefined) refuse('key', 'needs cert_file too');
  const pem = { ca: textOf('ca'), cert: textOf('cert'), key: textOf('key') };
  for (const { role, message, isWarning } of tryTls(pem, Date.now())) {
    const text = `${files[role]} ${message}`;
    if (isWarning) settings.warnings.add(text);
    else refuse(role, text);
  }
  return { ...pem, key: pem.key === undefined ? undefined : new Secret(pem.key), files };
}
