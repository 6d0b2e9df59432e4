import { Gauge } from 'prom-client';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { chooseFormat, contentTypes } from './negotiation.ts';
import { exposeIdentity, exposeRecording, exposeSources, type Identity } from './own-state.ts';
import { configurationOf, createRegistry, exposeIn, renderRegistry } from './registry.ts';

interface SourceExpositionOptions {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
  readonly identity: () => Identity;
  readonly sources: () => readonly SourceHealth[];
  readonly recording: () => RecordingHealth;
}

/** The page of metrics of an analyzer without an exporter: its process and its sources. */
export function createSourceExposition(options: SourceExpositionOptions) {
  const { version, revision, nodeVersion, identity, sources, recording } = options;
  const registry = createRegistry(true);
  const configuration = configurationOf(registry);
  new Gauge(configuration('license_exporter_build_info')).set({ version, revision, node_version: nodeVersion }, 1);
  const expose = exposeIn(registry);
  exposeIdentity(expose, identity);
  exposeSources(expose, sources);
  exposeRecording(expose, recording);
  return async ({ accept }: { readonly accept: string | undefined }) => {
    const format = chooseFormat(accept);
    const text = await renderRegistry(registry, format);
    return {
      status: 200,
      headers: { 'content-type': contentTypes[format], vary: 'Accept' },
      body: Buffer.from(`${text}${format === 'openmetrics' ? '# EOF\n' : ''}`),
    };
  };
}
