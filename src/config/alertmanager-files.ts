import { dirname, resolve } from 'node:path';
import type { AlertmanagerConfig } from './config.ts';
import { type Context, checkCertificate, isReadableByAll, readText, whereOf } from './draft.ts';
import { Secret } from './secret.ts';
import type { AlertmanagerEntry } from './sections/alertmanagers.ts';
import type { SettingKey } from './settings.ts';

/** The Alertmanagers of the alert engine, with the files they name. */

const KEY = 'alerting.alertmanagers' satisfies SettingKey;

function problem(context: Context, message: string): void {
  context.problems.push({ key: KEY, where: whereOf(context, KEY), message });
}

function alertmanagerOf(context: Context, entry: AlertmanagerEntry): AlertmanagerConfig {
  const { configFile } = context.options;
  const pathOf = (file: string): string =>
    configFile === undefined ? resolve(file) : resolve(dirname(configFile), file);
  const textOf = (file: string | undefined): string | undefined => {
    if (file === undefined) return undefined;
    const found = readText(pathOf(file));
    if ('text' in found) return found.text;
    problem(context, `${pathOf(file)} ${found.why}`);
    return undefined;
  };
  const secretOf = (file: string | undefined): string | undefined => {
    if (file === undefined) return undefined;
    const path = pathOf(file);
    const found = textOf(file);
    if (found?.trim() === '') problem(context, `${path} is empty`);
    if (found !== undefined && isReadableByAll(path)) {
      const warning = `${path} can be read by every user; give it mode 0600`;
      // several Alertmanagers may share it
      if (!context.warnings.includes(warning)) context.warnings.push(warning);
    }
    return path;
  };
  const { url, timeout, basicAuth, authorization, tls } = entry;
  const [cert, key] = [textOf(tls.certFile), textOf(tls.keyFile)];
  if (cert !== undefined && key !== undefined) checkCertificate(context, KEY, cert, key);
  return {
    url,
    timeout,
    basicAuth: basicAuth && { ...basicAuth, passwordFile: secretOf(basicAuth.passwordFile) ?? '' },
    authorization: authorization && {
      ...authorization,
      credentialsFile: secretOf(authorization.credentialsFile) ?? '',
    },
    tls: {
      ca: textOf(tls.caFile),
      cert,
      key: key === undefined ? undefined : new Secret(key),
      serverName: tls.serverName,
      insecureSkipVerify: tls.insecureSkipVerify,
    },
  };
}

/** The Alertmanagers to tell, with what their files hold. */
export function alertmanagersOf(context: Context): readonly AlertmanagerConfig[] {
  return (context.values[KEY] ?? []).map((entry) => alertmanagerOf(context, entry));
}
