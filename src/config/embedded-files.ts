import type { Config } from './config.ts';
import type { Draft } from './draft.ts';
import { ConfigError } from './problems.ts';
import { type AnalyzerAccount, parseUsersFile } from './users-file.ts';

const USERS = 'embedded_analyzer.users_file';

function usersOf(draft: Draft): readonly AnalyzerAccount[] | undefined {
  const text = draft.readSecretFile(draft.reference(USERS));
  if (text === undefined) return undefined;
  try {
    return parseUsersFile(text, draft.pathOf(USERS) ?? '');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    draft.problems.push(...error.problems.map((problem) => ({ ...problem, key: USERS })));
    return undefined;
  }
}

/** The embedded analyzer, with what its files say. */
export function embeddedOf(draft: Draft): Config['embeddedAnalyzer'] {
  const references = {
    cert: draft.reference('embedded_analyzer.tls.cert_file'),
    key: draft.reference('embedded_analyzer.tls.key_file'),
  };
  const { cert, key } = draft.readTls(references);
  const hasTls = references.cert.file !== undefined || references.key.file !== undefined;
  const binding = 'embedded_analyzer.channel_binding';
  if (draft.value(binding) === 'require' && !hasTls && !draft.isWrong('embedded_analyzer.tls.cert_file')) {
    draft.refuse(binding, 'require needs TLS; set embedded_analyzer.tls.cert_file and key_file, or allow');
  }
  const { listenAddress, usersFile: _, site, timeZone, ...section } = draft.section('embedded_analyzer');
  return {
    ...section,
    ...site,
    listen: listenAddress,
    users: usersOf(draft),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    timeZone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
