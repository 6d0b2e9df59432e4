import type { Config } from './config.ts';
import { type Context, checkCertificate, isReadableByAll, pathOf, readText, readTlsFile, whereOf } from './draft.ts';
import { Secret } from './secret.ts';
import { parseUsersFile } from './users-file.ts';
import { ValueError } from './values.ts';

/** What the files of the embedded analyzer say. */
export function embeddedOf(context: Context): Pick<Config['embeddedAnalyzer'], 'users' | 'tls'> {
  const { problems, warnings, values } = context;
  const cert = readTlsFile(context, 'embedded_analyzer.tls.cert_file');
  const key = readTlsFile(context, 'embedded_analyzer.tls.key_file');
  const pair = ['embedded_analyzer.tls.cert_file', 'embedded_analyzer.tls.key_file'] as const;
  const [set, ...both] = pair.filter((name) => values[name] !== undefined);
  if (set !== undefined && both.length === 0) {
    const message = 'and embedded_analyzer.tls.cert_file belong together';
    problems.push({ key: 'embedded_analyzer.tls.key_file', where: whereOf(context, set), message });
  }
  const tls = cert === undefined || key === undefined ? undefined : { cert, key: new Secret(key) };
  if (tls !== undefined) checkCertificate(context, 'embedded_analyzer.tls.cert_file', tls.cert, tls.key.reveal());
  if (values['embedded_analyzer.channel_binding'] === 'require' && set === undefined) {
    const message = 'require needs TLS; set embedded_analyzer.tls.cert_file and key_file, or allow';
    const key = 'embedded_analyzer.channel_binding';
    problems.push({ key, where: whereOf(context, key), message });
  }
  const file = pathOf(context, 'embedded_analyzer.users_file');
  if (file === undefined) return { users: undefined, tls };
  const where = whereOf(context, 'embedded_analyzer.users_file');
  const read = readText(file);
  try {
    if ('why' in read) throw new ValueError(`${file} ${read.why}`);
    const users = parseUsersFile(read.text, file);
    if (isReadableByAll(file)) warnings.push(`${file} can be read by every user; give it mode 0600`);
    return { users, tls };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    problems.push({ key: 'embedded_analyzer.users_file', where, message: error.message });
    return { users: undefined, tls };
  }
}
