import type { AnalyzerAccount } from '../../analyzer/settings.ts';
import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { sourcesOf } from './embedded-sources.ts';
import { ConfigError } from './problems.ts';
import { parseUsersFile } from './users-file.ts';

const USERS = 'embedded_analyzer.users_file';

const NO_USERS =
  'embedded_analyzer.listen_address is set, but nobody can log on there: set embedded_analyzer.users_file too, or remove the address';
const NOT_LISTENING =
  'embedded_analyzer.users_file has users, but serve does not listen for them: set embedded_analyzer.listen_address, for example to 127.0.0.1:10320';

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
  const users = usersOf(settings);
  const sources = sourcesOf(settings, timeZone);
  if (sources.length > 0 && (listenAddress === undefined) !== (users === undefined)) {
    settings.warnings.add(listenAddress === undefined ? NOT_LISTENING : NO_USERS);
  }
  return {
    ...section,
    ...site,
    listen: listenAddress,
    users,
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    sources,
    timeZone,
  };
}
