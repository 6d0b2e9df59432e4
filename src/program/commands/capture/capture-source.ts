import { createHost, settingsOf } from '../../../analyzer/sources/configured-sources.ts';
import type { SourceConfig } from '../../../analyzer/sources/source-settings.ts';
import type { Log } from '../../../base/model/log.ts';
import type { SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { createSourceAnalyzers } from '../../app/source-analyzers.ts';
import type { Config } from '../../config/config.ts';
import { type Anonymized, anonymize } from './anonymize.ts';
import { readTexts } from './read-texts.ts';

/** Reads a source once. @returns what it printed without names, and why something could not be read */
export async function captureSource(
  config: Config,
  source: SourceConfig,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<Anonymized & { readonly problems: readonly SourceProblem[] }> {
  const host = createHost(config, { askAnalyzers: createSourceAnalyzers, now: () => Date.now() / 1000, log }, true);
  try {
    const { header, sections, problems } = await readTexts(settingsOf(source, log), host, signal);
    return { ...anonymize(header, sections), problems };
  } finally {
    host.close();
  }
}
