import { resolve } from 'node:path';
import type { SourceEntry } from './sections/sources.ts';

type Via = NonNullable<SourceEntry['via']>;

function viaIn(folder: string, { file, token_file: tokenFile, tls, ...via }: Via): Via {
  const absolute = (path: string | undefined): string | undefined => path && resolve(folder, path);
  return {
    ...via,
    file: absolute(file),
    token_file: absolute(tokenFile),
    tls: tls && {
      ...tls,
      caFile: absolute(tls.caFile),
      certFile: absolute(tls.certFile),
      keyFile: absolute(tls.keyFile),
    },
  };
}

/**
 * An entry with absolute paths. They are relative to the folder of the file in which they are written, and so must be
 * resolved before an entry gets values of `source_defaults`, which are written in another file.
 */
export function pathsIn(folder: string, entry: SourceEntry): SourceEntry {
  const { via, licenseFiles, optionsFiles, debugLog } = entry;
  const absolute = (path: string): string => resolve(folder, path);
  return {
    ...entry,
    ...(via && { via: viaIn(folder, via) }),
    ...(licenseFiles && { licenseFiles: licenseFiles.map(absolute) }),
    ...(optionsFiles && {
      optionsFiles: Object.fromEntries(Object.entries(optionsFiles).map(([daemon, file]) => [daemon, absolute(file)])),
    }),
    ...(debugLog && { debugLog: { ...debugLog, path: absolute(debugLog.path) } }),
  };
}
