import { hostname, userInfo } from 'node:os';
import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/embedded-sources.ts';
import type { Log } from '../model/log.ts';
import type { SourceProblem } from '../model/observation/source-failure.ts';
import { runSliced } from '../scheduling/slices.ts';
import { type Anonymized, anonymize } from '../sources/capture/anonymize.ts';
import { readTexts } from '../sources/capture.ts';
import { createHost, settingsOf } from './sources.ts';

/** Names that the texts may have and the configuration knows. */
function knownNames({ via }: SourceConfig) {
  const here = [{ name: hostname(), role: 'host' as const }];
  // the ones of daemons are no names of people
  const { username, uid } = userInfo();
  const user = uid === 0 ? [] : [{ name: username, role: 'user' as const }];
  const web = via?.kind === 'http' ? [{ name: new URL(via.url).hostname, role: 'server' as const }] : [];
  return [...here, ...user, ...web];
}

/** Reads a source once. @returns what it printed without names, and why something could not be read */
export async function captureSource(
  config: Config,
  source: SourceConfig,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<Anonymized & { readonly problems: readonly SourceProblem[] }> {
  const host = createHost(config, () => Date.now() / 1000, log);
  try {
    const { header, sections, problems } = await readTexts(settingsOf(source), host, signal);
    return { ...(await runSliced(anonymize({ header, sections, known: knownNames(source) }))), problems };
  } finally {
    host.close();
  }
}
