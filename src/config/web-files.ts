import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { Draft } from './draft.ts';
import { ConfigError } from './problems.ts';
import { Secret } from './secret.ts';
import { readWebConfig } from './web-config.ts';

/** The HTTP front and its routes for Grafana, with what their files say. */

/** Bytes of a key that is made up. */
const KEY_BYTES = 32;
/** Characters of a key that is given. */
const MIN_KEY = 16;

/** The HTTP front. */
export function webOf(draft: Draft): Config['web'] {
  const { listenAddress, configFile: _, ...section } = draft.section('web');
  return { ...section, listen: listenAddress, ...accessOf(draft) };
}

function accessOf(draft: Draft): Pick<Config['web'], 'configFile' | 'access'> {
  const configFile = draft.pathOf('web.config_file');
  // whether it is there is said where it is named
  if (configFile === undefined || draft.readFile(draft.reference('web.config_file')) === undefined) {
    return { configFile, access: undefined };
  }
  try {
    const access = readWebConfig(configFile);
    for (const warning of access.warnings) draft.warnings.add(warning);
    return { configFile, access };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    draft.problems.push(...error.problems);
    return { configFile, access: undefined };
  }
}

/** The routes for Grafana. */
export function datasourceOf(draft: Draft): Config['datasource'] {
  const { pseudonymise, pseudonymKeyFile: _, ...section } = draft.section('datasource');
  return { ...section, pseudonymKey: pseudonymise ? pseudonymKeyOf(draft) : undefined };
}

function pseudonymKeyOf(draft: Draft): Secret | undefined {
  const key = 'datasource.pseudonym_key_file';
  const file = draft.pathOf(key);
  if (file === undefined) {
    draft.warnings.add('without datasource.pseudonym_key_file every start gives users other pseudonyms');
    return new Secret(randomBytes(KEY_BYTES).toString('hex'));
  }
  const text = draft.readSecretFile(draft.reference(key))?.trim();
  if (text !== undefined && text.length < MIN_KEY) draft.refuse(key, `${file} has fewer than ${MIN_KEY} characters`);
  return new Secret(text ?? '');
}
