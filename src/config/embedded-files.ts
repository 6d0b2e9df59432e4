import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { sourcesOf } from './embedded-sources.ts';
import { ConfigError } from './problems.ts';
import { hasSources } from './upstream-analyzer.ts';
import { type AnalyzerAccount, parseUsersFile } from './users-file.ts';

const USERS = 'embedded_analyzer.users_file';

function usersOf(settings: ConfigSettings): readonly AnalyzerAccount[] | undefined {
  const text = settings.readSecretFile(settings.reference(USERS));
  if (text === undefined) return undefined;
  try {
    return parseUsersFile(text, settings.pathOf(USERS) ?? '');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    settings.problems.push(...error.problems.map((problem) => ({ ...problem, key: USERS })));
    return undefined;
  }
}

/** Warns if the exporter reads dates in another calendar than its own analyzer writes them. */
function checkZone(settings: ConfigSettings, timeZone: string): void {
  const read = settings.value('datasource.time_zone');
  if (read === undefined || read === timeZone || !hasSources(settings)) return;
  settings.warnings.add(
    `datasource.time_zone is ${read}, but the days of the embedded analyzer are those of ${timeZone}: expiries can be a day off; set embedded_analyzer.time_zone too, or neither`,
  );
}

/** The configuration of the embedded analyzer, with the content of its files. */
export function embeddedOf(settings: ConfigSettings): Config['embeddedAnalyzer'] {
  const references = {
    cert: settings.reference('embedded_analyzer.tls.cert_file'),
    key: settings.reference('embedded_analyzer.tls.key_file'),
  };
  const { cert, key } = settings.readTls(references);
  const hasTls = references.cert.file !== undefined || references.key.file !== undefined;
  const binding = 'embedded_analyzer.channel_binding';
  if (settings.value(binding) === 'require' && !hasTls && !settings.isInvalid('embedded_analyzer.tls.cert_file')) {
    settings.refuse(binding, 'require needs TLS; set embedded_analyzer.tls.cert_file and key_file, or allow');
  }
  const {
    listenAddress,
    usersFile: _,
    sourceDefaults: __,
    sourceFiles: ___,
    site,
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...section
  } = settings.section('embedded_analyzer');
  checkZone(settings, timeZone);
  return {
    ...section,
    ...site,
    listen: listenAddress,
    users: usersOf(settings),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    sources: sourcesOf(settings, timeZone),
    timeZone,
  };
}
