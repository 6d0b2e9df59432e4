import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { ConfigError } from './problems.ts';
import { Secret } from './secret.ts';
import { EVERYONE } from './sections/access.ts';
import { readWebConfig } from './web-config.ts';

/** The HTTP server and its routes for Grafana, with the content of their files. */

/** Bytes of a generated key. */
const KEY_BYTES = 32;
/** Minimum length of a configured key, characters. */
const MIN_KEY = 16;

/** The configuration of the HTTP server. */
export function webOf(settings: ConfigSettings): Config['web'] {
  const { listenAddress, configFile: _, ...section } = settings.section('web');
  return { ...section, listen: listenAddress, ...webConfigOf(settings) };
}

function webConfigOf(settings: ConfigSettings): Pick<Config['web'], 'configFile' | 'access'> {
  const configFile = settings.pathOf('web.config_file');
  // `readFile` reports a missing file with the line that names it
  if (configFile === undefined || settings.readFile(settings.reference('web.config_file')) === undefined) {
    return { configFile, access: undefined };
  }
  try {
    const access = readWebConfig(configFile);
    for (const warning of access.warnings) settings.warnings.add(warning);
    return { configFile, access };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    settings.problems.push(...error.problems);
    return { configFile, access: undefined };
  }
}

/** Who may see names and prices. Warns of users that the web config does not have, without their names. */
export function accessOf(settings: ConfigSettings, { access }: Pick<Config['web'], 'access'>): Config['access'] {
  const section = settings.section('access');
  for (const [what, users] of Object.entries(section)) {
    // what is not valid is reported
    if (!Array.isArray(users)) continue;
    for (const [i, user] of users.entries()) {
      if (user === EVERYONE || access?.users.has(user)) continue;
      const remedy = access === undefined ? 'set web.config_file' : 'add it to basic_auth_users';
      settings.warnings.add(`access.${what}[${i}] is no user of the web config, and is shown nothing: ${remedy}`);
    }
  }
  return section;
}

/** The configuration of the routes for Grafana. */
export function datasourceOf(settings: ConfigSettings): Config['datasource'] {
  const { pseudonymise, pseudonymKeyFile: _, ...section } = settings.section('datasource');
  return { ...section, pseudonymKey: pseudonymise ? pseudonymKeyOf(settings) : undefined };
}

function pseudonymKeyOf(settings: ConfigSettings): Secret | undefined {
  const key = 'datasource.pseudonym_key_file';
  const file = settings.pathOf(key);
  if (file === undefined) {
    settings.warnings.add('without datasource.pseudonym_key_file the pseudonyms of users change at every start');
    return new Secret(randomBytes(KEY_BYTES).toString('hex'));
  }
  const text = settings.readSecretFile(settings.reference(key))?.trim();
  if (text !== undefined && text.length < MIN_KEY) settings.refuse(key, `${file} has fewer than ${MIN_KEY} characters`);
  return new Secret(text ?? '');
}
