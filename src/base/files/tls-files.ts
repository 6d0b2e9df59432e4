import { statSync } from 'node:fs';
import type { TlsContent, TlsPaths } from '../model/client-tls.ts';
import { OperatorError } from '../model/operator-error.ts';
import { tryTls } from './certificates.ts';
import { fileStamp, readText } from './named-files.ts';

/** Files for TLS that are read again after the start, because certificates are renewed. */

/** Which state of the files is there. It differs if one was written again or replaced. */
export const stampsOf = ({ ca, cert, key }: TlsPaths): string =>
  [ca, cert, key]
    .map((path) => (path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })))
    .map((stats) => (stats === undefined ? '' : fileStamp(stats)))
    .join('\n');

/** The content of the files now. @throws OperatorError that names a file and why it cannot be used */
export function readTlsFiles(files: TlsPaths): TlsContent {
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
