import { environmentName, flagName, type Setting, type SettingKey, settingKeys, settings } from './settings.ts';

/** The flag of a setting. */
export interface SettingFlag {
  /** Without the dashes. */
  readonly name: string;
  readonly key: SettingKey;
  /** Takes no value; `--no-NAME` is its opposite. */
  readonly isSwitch: boolean;
  /** May be given several times. */
  readonly isList: boolean;
}

const isSwitch = (key: SettingKey): boolean => typeof settings[key].default === 'boolean';

/** Every setting that has a flag. */
export const settingFlags: readonly SettingFlag[] = settingKeys.flatMap((key) => {
  const name = flagName(key);
  return name === undefined
    ? []
    : [{ name, key, isSwitch: isSwitch(key), isList: Array.isArray(settings[key].default) }];
});

/** The default of a setting as the documentation writes it. */
export function shownDefault(key: SettingKey): string {
  const { default: fallback, shownDefault: shown }: Setting = settings[key];
  if (shown !== undefined) return shown;
  if (fallback === undefined || fallback === '') return '';
  if (Array.isArray(fallback)) return fallback.join(', ');
  return typeof fallback === 'object' ? '' : String(fallback);
}

/** The settings in the text of `--help`. */
export function settingsHelp(): string {
  const lines = settingKeys.map((key) => {
    const flag = flagName(key);
    const name =
      flag === undefined ? `(environment) ${environmentName(key)}` : `--${isSwitch(key) ? '[no-]' : ''}${flag}`;
    const fallback = shownDefault(key);
    return `  ${name}\n      ${settings[key].doc}${fallback === '' ? '' : ` Default: ${fallback}.`}`;
  });
  return lines.join('\n');
}
