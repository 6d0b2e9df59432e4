import { dirname } from 'node:path';
import type { ClientTls } from '../../base/model/client-tls.ts';
import { nearest } from '../../base/settings/names.ts';
import type { Secret } from '../../base/settings/secret.ts';
import { CheckedSettings } from './checked-settings.ts';
import { RawSettings } from './raw-settings.ts';
import {
  flagName,
  type Section,
  type SectionName,
  type SettingKey,
  sectionOf,
  type sections,
  settingKeys,
  settings,
  settingTable,
  variableName,
} from './settings.ts';

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
function readSources({ configFile, env, flags }: Sources): RawSettings {
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

/** What is configured from where, and what the command needs of it. */
export interface LoadOptions extends Sources {
  /**
   * Whether an analyzer must be configured; the demo starts its own. `unless-embedded`: only if the configuration is not
   * for the embedded analyzer alone.
   */
  readonly requireAnalyzer: boolean | 'unless-embedded';
  /** Defaults of the command. They take precedence over those of the settings. */
  readonly defaults?: ReadonlyMap<SettingKey, unknown>;
}

/** What systemd creates for a unit with `StateDirectory=`: the first of its directories. */
function stateDirectory({ env }: LoadOptions): Iterable<[SettingKey, unknown]> {
  const [path = ''] = (env.STATE_DIRECTORY ?? '').split(':');
  return path === '' ? [] : [['storage.path', path]];
}

/** The checked settings of the configuration, before they become a `Config`. */
export class ConfigSettings extends CheckedSettings<typeof sections> {
  readonly options: LoadOptions;
  /** Where a part of each source is written, by the name of the source. */
  readonly sourcePlaces = new Map<string, (path: readonly PropertyKey[]) => string>();
  /** The items of `embedded_analyzer.source_files` that match no file. */
  readonly emptySourceFiles: number[] = [];

  constructor(options: LoadOptions) {
    const folder = options.configFile === undefined ? '' : dirname(options.configFile);
    super(settingTable, readSources(options), {
      folder,
      defaults: new Map([...stateDirectory(options), ...(options.defaults ?? [])]),
    });
    this.options = options;
  }

  /** TLS of a client, with the content of its files. Reports their problems. */
  clientTls(
    section: 'analyzer.tls' | 'storage.archive.tls' | 'alerting.email.tls_config' | 'alerting.webhook.tls_config',
  ): ClientTls<Secret> {
    const files = this.readTls({
      ca: this.reference(`${section}.ca_file`),
      cert: this.reference(`${section}.cert_file`),
      key: this.reference(`${section}.key_file`),
    });
    return {
      ...files,
      serverName: this.value(`${section}.server_name`),
      insecureSkipVerify: this.value(`${section}.insecure_skip_verify`) === true,
    };
  }

  /** The path of a file with a secret, which is read again each time it is used. Reports a file that cannot be used. */
  secretFile(key: SettingKey): string | undefined {
    const path = this.pathOf(key);
    if (this.readSecretFile(this.reference(key))?.trim() === '') this.refuse(key, `${path} is empty`);
    return path;
  }

  /** Reports what is missing if a setting needs another one. */
  need(key: SettingKey, by: SettingKey): void {
    this.reportMissing(key, this.rawSetting(by)?.where([]), `is required with ${by}`);
  }

  /** The values of a section, in camelCase. They are complete if there are no problems. */
  section<N extends SectionName>(name: N): Section<N> {
    return sectionOf(name, (key) => this.value(key));
  }
}
