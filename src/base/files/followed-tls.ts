import { statSync } from 'node:fs';
import type { ClientTls, TlsContent, TlsPaths } from '../model/client-tls.ts';
import type { Log } from '../model/log.ts';
import { OperatorError } from '../model/operator-error.ts';
import { revealTls, type Secret } from '../settings/secret.ts';
import { tryTls } from './certificates.ts';
import { fileStamp, readText } from './named-files.ts';

/** Files for TLS that are read again after the start, because certificates are renewed. */

/** Which state of the files is there. It differs if one was written again or replaced. */
const stampsOf = ({ ca, cert, key }: TlsPaths): string =>
  [ca, cert, key]
    .map((path) => (path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })))
    .map((stats) => (stats === undefined ? '' : fileStamp(stats)))
    .join('\n');

/** The content of the files now. @throws OperatorError that names a file and why it cannot be used */
function readTlsFiles(files: TlsPaths): TlsContent {
  const textOf = (path: string | undefined): string | undefined => {
    if (path === undefined) return undefined;
    const found = readText(path);
    if ('why' in found) throw new OperatorError(`${path} ${found.why}`);
    return found.text;
  };
  const pem = { ca: textOf(files.ca), cert: textOf(files.cert), key: textOf(files.key) };
  const refused = tryTls(pem, Date.now()).find(({ isWarning }) => !isWarning);
  if (refused !== undefined) throw new OperatorError(`${files[refused.role]} ${refused.message}`);
  return pem;
}

const isSame = (one: TlsContent, other: TlsContent): boolean =>
  one.ca === other.ca && one.cert === other.cert && one.key === other.key;

/**
 * What files for TLS contain now. If one cannot be used, that is logged, and the last content is kept until it can: while a
 * certificate is renewed, its key may still be the old one.
 */
export function followTlsFiles(files: TlsPaths, read: TlsContent, log: Log): () => TlsContent {
  const named = Object.values(files).filter((file) => file !== undefined);
  if (named.length === 0) return () => read;
  let content = read;
  // the configuration read them before: a change since then must not be missed
  let stamp: string | undefined;
  let refused = '';
  return () => {
    try {
      const found = stampsOf(files);
      if (found === stamp) return content;
      const next = readTlsFiles(files);
      if (!isSame(next, content)) log.info({ files: named }, 'changed TLS files are used');
      content = next;
      stamp = found;
      refused = '';
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== refused) log.warn({ reason }, 'TLS files cannot be used, the last ones are kept');
      refused = reason;
    }
    return content;
  };
}

/** TLS of a client that follows its files: each connection uses what they contain then. */
export function followTls(tls: ClientTls<Secret>, log: Log): ClientTls {
  const read = revealTls(tls);
  return { ...read, current: followTlsFiles(tls.files ?? {}, read, log) };
}
