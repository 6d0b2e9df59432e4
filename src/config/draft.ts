import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Problem } from './problems.ts';
import type { SettingKey, SettingValues } from './settings.ts';
import type { Located } from './yaml-source.ts';

/** What the parts of a configuration are made from: values, where they were said, and the files they name. */

export interface LoadOptions {
  readonly configFile?: string | undefined;
  /** Raw values of flags by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  readonly env: NodeJS.ProcessEnv;
  /** Whether an analyzer must be configured; the demo brings its own. */
  readonly requireAnalyzer: boolean;
  /** Defaults of the command, which stand before those of the settings. */
  readonly defaults?: ReadonlyMap<SettingKey, unknown>;
  /** Says what is wrong with a cron expression. */
  readonly cronProblem: (expression: string) => string | undefined;
}

export interface Context {
  readonly values: SettingValues;
  readonly given: ReadonlyMap<SettingKey, Located>;
  readonly options: LoadOptions;
  readonly problems: Problem[];
  readonly warnings: string[];
}

export const whereOf = ({ given }: Context, key: SettingKey): string => given.get(key)?.where ?? 'configuration';

/** Files and directories named in the configuration file are meant relative to it. */
export function pathOf(context: Context, key: SettingKey & (`${string}_file` | 'storage.path')): string | undefined {
  const path = context.values[key];
  if (typeof path !== 'string') return undefined;
  const { configFile } = context.options;
  const isFromFile = configFile !== undefined && context.given.get(key)?.where.startsWith(basename(configFile));
  return isFromFile ? resolve(dirname(configFile), path) : resolve(path);
}

/** The text of a file, or why there is none. */
export function readText(path: string): { readonly text: string } | { readonly why: string } {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { why: 'does not exist' };
    return { why: code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})` };
  }
}

export const isReadableByAll = (file: string): boolean => (statSync(file).mode & 0o004) !== 0;

export function readTlsFile(context: Context, key: SettingKey & `${string}.tls.${string}_file`): string | undefined {
  const path = pathOf(context, key);
  if (path === undefined) return undefined;
  const read = readText(path);
  if ('text' in read) return read.text;
  context.problems.push({ key, where: whereOf(context, key), message: `${path}: the file ${read.why}` });
  return undefined;
}

/** Whether a certificate and its key can be used, said where the certificate was. */
export function checkCertificate(context: Context, name: SettingKey, cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `is no PEM certificate, or the key is none or not its own (${code})`;
    context.problems.push({ key: name, where: whereOf(context, name), message });
  }
}
