import { suggest } from '../../base/settings/names.ts';
import { environmentName, flagName, flagNames, type SettingKey, settingKeys, settings } from './settings.ts';

/** Settings as command-line flags, and as shown in help and documentation. */

const byFlag: ReadonlyMap<string, SettingKey> = new Map(
  settingKeys.flatMap((key) => flagNames(key).map((name) => [name, key] as const)),
);

const isSwitch = (key: SettingKey): boolean => typeof settings[key].default === 'boolean';
const isList = (key: SettingKey): boolean => Array.isArray(settings[key].default);

/** The flags of settings, in the form of `parseArgs`. */
export const settingOptions: Readonly<Record<string, { type: 'string' | 'boolean'; multiple: boolean }>> =
  Object.fromEntries(
    [...byFlag].map(([name, key]) => [name, { type: isSwitch(key) ? 'boolean' : 'string', multiple: isList(key) }]),
  );

/** The raw values of the settings that are set by flags. */
export function settingsIn(values: Readonly<Record<string, unknown>>): ReadonlyMap<SettingKey, unknown> {
  const given = [...byFlag].filter(([flag]) => values[flag] !== undefined);
  return new Map(given.map(([flag, key]) => [key, values[flag]]));
}

/** The message for an unknown flag. @param written with the dashes before its name */
export function unknownFlag(written: string, flags: readonly string[]): string {
  const name = written.replace(/^--?/, '');
  const key = settingKeys.find((setting) => settings[setting].fileOnly && setting.replaceAll('_', '-') === name);
  const hint =
    key === undefined ? suggest(name, flags, '--') || '; --help shows all' : `; ${key} can only be set in the file`;
  return `unknown flag ${written}${hint}`;
}

/** The default of a setting, as shown in the documentation. */
export function shownDefault(key: SettingKey): string {
  const { default: fallback, shownDefault: shown } = settings[key];
  if (shown !== undefined) return shown;
  if (fallback === undefined || fallback === '') return '';
  if (Array.isArray(fallback)) return fallback.join(', ');
  return typeof fallback === 'object' ? '' : String(fallback);
}

/** The flag of a setting, else its environment variable, else its key in the file. */
function shownName(key: SettingKey): string {
  const flag = flagName(key);
  if (flag !== undefined) return `--${isSwitch(key) ? '[no-]' : ''}${flag}`;
  const variable = environmentName(key);
  return variable === undefined ? `(file) ${key}` : `(environment) ${variable}`;
}

/** The settings in the text of `--help`: how each is set, and what it means. */
export function settingLines(): (readonly [name: string, meaning: string])[] {
  return settingKeys.map((key) => {
    const fallback = shownDefault(key);
    const { description } = settings[key];
    return [shownName(key), `${description}${fallback === '' ? '' : ` Default: ${fallback}.`}`];
  });
}
