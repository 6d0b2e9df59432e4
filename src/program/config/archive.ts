import type { ArchiveConfig } from '../../analyzer/archive/settings.ts';
import type { ConfigSettings } from './config-settings.ts';
import { hasAnalyzer } from './upstream-analyzer.ts';

const KEY = 'storage.archive.url';

/** The archive of the history; `undefined` if none is configured. Reports problems of its settings and files. */
export function archiveOf(settings: ConfigSettings): ArchiveConfig | undefined {
  const first = settings.firstSettingOf('storage.archive');
  const address = settings.value(KEY);
  const passwordFile = settings.secretFile('storage.archive.password_file');
  const tls = settings.clientTls('storage.archive.tls');
  if (first === undefined) return undefined;
  if (address === undefined) {
    if (!settings.isInvalid(KEY)) settings.need(KEY, first);
    return undefined;
  }
  if (hasAnalyzer(settings)) {
    const why = 'keeps the history of the embedded analyzer, and analyzer.url polls another one';
    settings.refuse(KEY, `${why}; remove it, or make that analyzer a source: "manager: query-api"`);
  }
  // the name of this host is another one on a new machine
  const { name } = settings.section('analyzer');
  if (name === undefined) settings.need('analyzer.name', KEY);
  return { ...address, passwordFile, schema: settings.value('storage.archive.schema') ?? '', name: name ?? '', tls };
}
