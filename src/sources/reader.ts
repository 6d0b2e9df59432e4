import type { SourceSettings } from '../model/observation/source-settings.ts';
import { createFlexnetReader } from './flexnet/reader.ts';
import { createJsonReader } from './json/reader.ts';
import type { ManagerReader } from './manager-source.ts';
import { createRlmReader } from './rlm/reader.ts';
import { createCommandTransport } from './transport/command-transport.ts';
import { createFileTransport } from './transport/file-transport.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import type { Transport } from './transport/transport.ts';
import type { TransportHost } from './transport/transport-host.ts';

/** How the output of a source gets here; undefined for license files alone. */
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
    case undefined:
      return undefined;
  }
}

/** The reader of a license manager, by the settings. */
export function createReader(settings: SourceSettings, host: TransportHost): ManagerReader {
  const transport = createTransport(settings, host);
  if (settings.manager === 'flexnet') return createFlexnetReader(settings, transport, host);
  if (transport === undefined) throw new Error(`the source ${settings.name} says not how it is read`);
  return settings.manager === 'rlm'
    ? createRlmReader(settings, transport)
    : createJsonReader(settings, transport, host.now);
}
