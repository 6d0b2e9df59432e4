import type { SourceSettings } from '../source-settings.ts';

/** The arguments of the configured tool for lmstat: `lmutil lmstat …`, or a command that is lmstat already. */
export function lmstatArguments({ via, servers }: SourceSettings, ...what: readonly string[]): readonly string[] {
  const isLmstat = via?.kind === 'command' && via.command.some((word) => /(^|\/)lmstat(\.exe)?$/.test(word));
  return [...(isLmstat ? [] : ['lmstat']), ...what, '-c', servers.join(',')];
}
