import { nearest } from '../../base/settings/names.ts';
import { RawSettings } from './raw-settings.ts';
import { flagName, type SettingKey, settingKeys, settings, settingTable, variableName } from './settings.ts';

/** The sources of settings. Flags take precedence over the environment, and the environment over the file. */
export interface Sources {
  readonly configFile?: string | undefined;
  /** Raw values of flags by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  readonly env: NodeJS.ProcessEnv;
}

const ENVIRONMENT_PREFIX = 'LICENSE_EXPORTER_';
/** Variables that Kubernetes adds to the pods of a namespace with a service named license-exporter. */
const KUBERNETES_SERVICE = /^LICENSE_EXPORTER_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

const byVariable: ReadonlyMap<string, SettingKey> = new Map(settingKeys.map((key) => [variableName(key), key]));

function addVariable(rawSettings: RawSettings, name: string, raw: unknown): void {
  const known = byVariable.get(name);
  if (known !== undefined && !settings[known].fileOnly) {
    rawSettings.values.set(known, { raw, isFromFile: false, where: () => name });
    return;
  }
  // without what all of them begin with, which would make any short name near
  const names = [...byVariable.keys()].map((variable) => variable.slice(ENVIRONMENT_PREFIX.length));
  const near = nearest(name.slice(ENVIRONMENT_PREFIX.length), names);
  const meant = near === undefined ? undefined : byVariable.get(`${ENVIRONMENT_PREFIX}${near}`);
  const refuse = (message: string): void => rawSettings.refuse({ key: '', where: name, message }, meant);
  if (meant === undefined) refuse('unknown variable');
  else if (settings[meant].fileOnly) refuse(`unknown variable; ${meant} can only be set in the file`);
  else refuse(`unknown variable, did you mean ${ENVIRONMENT_PREFIX}${near}?`);
}

/** All settings that are set, with their places, and the problems. */
export function readSources({ configFile, env, flags }: Sources): RawSettings {
  const rawSettings = new RawSettings(settingTable);
  if (configFile !== undefined) rawSettings.addFile(configFile, configFile);
  for (const [name, raw] of Object.entries(env)) {
    if (name.startsWith(ENVIRONMENT_PREFIX) && !KUBERNETES_SERVICE.test(name)) addVariable(rawSettings, name, raw);
  }
  for (const [key, raw] of flags) {
    rawSettings.values.set(key, { raw, isFromFile: false, where: () => `--${flagName(key) ?? key}` });
  }
  return rawSettings;
}
