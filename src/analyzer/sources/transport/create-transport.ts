import type { SourceSettings } from '../source-settings.ts';
import { createCommandTransport } from './command-transport.ts';
import { createFileTransport } from './file-transport.ts';
import { createHttpTransport } from './http-transport.ts';
import type { Transport } from './transport.ts';
import type { TransportHost } from './transport-host.ts';

/** How the output of a source gets here, by its setting `via`; undefined without one. */
export function createTransport(settings: SourceSettings, host: TransportHost): Transport | undefined {
  const { via, name: label, timeout, maxOutput, encoding } = settings;
  const common = { label, timeout, maxOutput, encoding };
  switch (via?.kind) {
    case 'command':
      return createCommandTransport({ ...via, ...common }, host);
    case 'file':
      return createFileTransport({ ...via, ...common }, host);
    case 'http':
      return createHttpTransport({ ...via, ...common }, host);
    case 'analyzer':
      return host.analyzer({ ...via, ...common });
    case undefined:
      return undefined;
  }
}
