import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import { type Context, isReadableByAll, pathOf, readText, whereOf } from './draft.ts';
import { Secret } from './secret.ts';
import type { SettingKey } from './settings.ts';
import { ValueError } from './values.ts';
import { readWebConfig } from './web-config.ts';

/** Bytes of a key that is made up. */
const KEY_BYTES = 32;
/** Characters of a key that is given. */
const MIN_KEY = 16;

interface Web {
  readonly access: Pick<Config['web'], 'configFile' | 'access'>;
  readonly pseudonymKey: Secret | undefined;
}

/** What the files of the HTTP front say. */
export function webOf(context: Context): Web {
  checkPaths(context);
  return { access: accessOf(context), pseudonymKey: pseudonymKeyOf(context) };
}

function accessOf(context: Context): Web['access'] {
  const key = 'web.config_file';
  const configFile = pathOf(context, key);
  if (configFile === undefined) return { configFile, access: undefined };
  try {
    return { configFile, access: readWebConfig(configFile) };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    context.problems.push({ key, where: whereOf(context, key), message: error.message });
    return { configFile, access: undefined };
  }
}

function pseudonymKeyOf(context: Context): Secret | undefined {
  const { values, problems, warnings } = context;
  const key = 'datasource.pseudonym_key_file';
  const file = pathOf(context, key);
  if (!values['datasource.pseudonymise']) return undefined;
  if (file === undefined) {
    warnings.push('without datasource.pseudonym_key_file every start gives users other pseudonyms');
    return new Secret(randomBytes(KEY_BYTES).toString('hex'));
  }
  const read = readText(file);
  const text = 'text' in read ? read.text.trim() : '';
  const why = 'why' in read ? read.why : text.length < MIN_KEY ? `has fewer than ${MIN_KEY} characters` : undefined;
  if (why !== undefined) problems.push({ key, where: whereOf(context, key), message: `${file} ${why}` });
  else if (isReadableByAll(file)) warnings.push(`${file} can be read by every user; give it mode 0600`);
  return new Secret(text);
}

/** The metrics must not lie below the routes for Grafana, nor they below it. */
function checkPaths(context: Context): void {
  const { values, problems } = context;
  const [path = '', metrics = ''] = [values['datasource.path'], values['web.telemetry_path']];
  if (`${metrics}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${metrics}/`)) {
    const key: SettingKey = 'datasource.path';
    problems.push({ key, where: whereOf(context, key), message: `${path} and web.telemetry_path ${metrics} overlap` });
  }
}
