import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboards } from '../support/dashboards.ts';
import type { Cleanup } from '../support/harness.ts';
import { root } from '../support/markdown.ts';

/** A running Grafana in which the dashboards are drawn: it gets data sources and dashboards of its own for it, and loses them again. */

/** Keeps what is drawn apart from what is there. */
const PREFIX = 'pictures-';

/** The addresses in the provisioning files of the data sources. */
const provisioned = { prometheus: 'http://prometheus:9090', exporter: 'http://license-exporter:10319' } as const;

interface DataSource {
  readonly name: string;
  readonly uid: string;
  readonly type: string;
}

export interface BorrowedGrafana {
  /** Sent with every request. */
  readonly headers: Record<string, string>;
  /** The URL of a dashboard without its menus. */
  urlOf(uid: string, parameters: Readonly<Record<string, string>>): string;
}

/**
 * @param url of a Grafana with the plugin Infinity that reaches the addresses
 * @param login of an administrator, `user:password`
 * @throws Error with what Grafana answers
 */
export async function borrowGrafana(
  cleanup: Cleanup,
  url: string,
  login: string,
  addresses: Readonly<Record<keyof typeof provisioned, string>>,
): Promise<BorrowedGrafana> {
  const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  const ask = async (method: string, path: string, body?: object): Promise<{ ok: boolean; text: string }> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { ok: response.ok, text: `${response.status} ${await response.text()}` };
  };
  /** Deletes first what a run that was killed has left. */
  const put = async (own: string, path: string, body: object): Promise<void> => {
    await ask('DELETE', own);
    cleanup.add(() => ask('DELETE', own));
    const { ok, text } = await ask('POST', path, body);
    if (!ok) throw new Error(`Grafana refuses ${own}: ${text}`);
  };

  const file = readFileSync(join(root, 'grafana/provisioning/datasources/license-exporter.yml'), 'utf8');
  const written = file
    .replaceAll(provisioned.prometheus, addresses.prometheus)
    .replaceAll(provisioned.exporter, addresses.exporter);
  const { datasources } = parse(written) as { datasources: readonly DataSource[] };
  for (const source of datasources) {
    const { name, uid } = { name: `${source.name} of the demo`, uid: `${PREFIX}${source.uid}` };
    await put(`/api/datasources/uid/${uid}`, '/api/datasources', { ...source, name, uid, isDefault: false });
    const { ok, text } = await ask('GET', `/api/datasources/uid/${uid}/health`);
    if (!ok) throw new Error(`Grafana cannot read with ${source.type}, is the plugin installed? ${text}`);
  }
  for (const dashboard of dashboards) {
    const { title, uid } = { title: `${PREFIX}${dashboard.title}`, uid: `${PREFIX}${dashboard.uid}` };
    await put(`/api/dashboards/uid/${uid}`, '/api/dashboards/db', { dashboard: { ...dashboard, title, uid } });
  }
  const uidOf = (wanted: string): string => `${PREFIX}${datasources.find(({ type }) => type.includes(wanted))?.uid}`;
  const sources = { 'var-prometheus_datasource': uidOf('prometheus'), 'var-infinity': uidOf('infinity') };
  return {
    headers,
    urlOf: (uid, parameters) =>
      `${new URL(`/d/${PREFIX}${uid}`, url)}?${new URLSearchParams({ kiosk: 'true', theme: 'light', ...sources, ...parameters })}`,
  };
}
