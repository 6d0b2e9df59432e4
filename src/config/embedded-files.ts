import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { sourcesOf } from './embedded-sources.ts';
import { ConfigError } from './problems.ts';
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

/** The configuration of the embedded analyzer, with the content of its files. @param timeZone of its days */
export function embeddedOf(settings: ConfigSettings, timeZone: string): Config['embeddedAnalyzer'] {
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
    timeZone: ____,
    ...section
  } = settings.section('embedded_analyzer');
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
