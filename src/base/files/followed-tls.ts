import type { ClientTls, TlsContent, TlsPaths } from '../model/client-tls.ts';
import type { Log } from '../model/log.ts';
import { revealTls, type Secret } from '../settings/secret.ts';
import { readTlsFiles, stampsOf } from './tls-files.ts';

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
