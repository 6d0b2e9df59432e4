import { suggest } from './problems.ts';
import { environmentName, flagName, type SettingKey, settingKeys, settings } from './settings.ts';

/** Settings as flags of the command line, and as the help and the documentation show them. */

const byFlag: ReadonlyMap<string, SettingKey> = new Map(
  settingKeys.flatMap((key) => {
    const name = flagName(key);
    return name === undefined ? [] : [[name, key] as const];
  }),
);

const isSwitch = (key: SettingKey): boolean => typeof settings[key].default === 'boolean';
const isList = (key: SettingKey): boolean => Array.isArray(settings[key].default);

/** The flags of settings, as `parseArgs` takes them. */
export const settingOptions: Readonly<Record<string, { type: 'string' | 'boolean'; multiple: boolean }>> =
  Object.fromEntries(
    [...byFlag].map(([name, key]) => [name, { type: isSwitch(key) ? 'boolean' : 'string', multiple: isList(key) }]),
  );

/** Raw values of settings among the values of flags. */
export function settingsIn(values: Readonly<Record<string, unknown>>): ReadonlyMap<SettingKey, unknown> {
  const given = [...byFlag].filter(([flag]) => values[flag] !== undefined);
  return new Map(given.map(([flag, key]) => [key, values[flag]]));
}

/** What to say of a flag that is not known, with the dashes before it. */
export function unknownFlag(written: string, flags: readonly string[]): string {
  const name = written.replace(/^--?/, '');
  const key = settingKeys.find((setting) => settings[setting].fileOnly && setting.replaceAll('_', '-') === name);
  const hint = key === undefined ? suggest(name, flags) : `; ${key} can only be set in the file`;
  return `unknown flag ${written}${hint}`;
}

/** The default of a setting as the documentation writes it. */
export function shownDefault(key: SettingKey): string {
  const { default: fallback, shownDefault: shown } = settings[key];
  if (shown !== undefined) return shown;
  if (fallback === undefined || fallback === '') return '';
  if (Array.isArray(fallback)) return fallback.join(', ');
  return typeof fallback === 'object' ? '' : String(fallback);
}

/** How a setting is written outside the file, where it can be. */
function shownName(key: SettingKey): string {
  const flag = flagName(key);
  if (flag !== undefined) return `--${isSwitch(key) ? '[no-]' : ''}${flag}`;
  const variable = environmentName(key);
  return variable === undefined ? `(file) ${key}` : `(environment) ${variable}`;
}

/** The settings in the text of `--help`. */
export function settingLines(): string[] {
  return settingKeys.map((key) => {
    const fallback = shownDefault(key);
    const { description } = settings[key];
    return `  ${shownName(key)}\n      ${description}${fallback === '' ? '' : ` Default: ${fallback}.`}`;
  });
}
