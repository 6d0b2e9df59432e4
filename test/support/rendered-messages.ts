import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import { type Example, example, quickened, writeExample } from './example-alertmanager.ts';
import type { Cleanup } from './harness.ts';
import { startMailSink } from './start-mail-sink.ts';
import { startPeer } from './start-peer.ts';

/** What the receivers of the example get from a real Alertmanager, as text that a person can read. */

type Labels = Readonly<Record<string, string>>;

/** An alert for the API of Alertmanager. */
export interface SentExample {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: string;
  readonly generatorURL: string;
}

export interface Rendered {
  /** `slack monitoring-team`: the kind of the integration and the receiver; of mails, the address. */
  readonly to: string;
  readonly text: string;
  /** The same as people see it who read HTML. */
  readonly html?: string;
}

type Integration = Readonly<Record<string, unknown>>;

/** The integrations of a receiver, with addresses of the sink instead of files and hosts. */
function towards({ name, ...integrations }: Example['receivers'][number], url: string): object {
  const replaced: Readonly<Record<string, (settings: Integration) => Integration>> = {
    pagerduty_configs: ({ routing_key_file: _, ...settings }) => ({
      ...settings,
      routing_key: 'key',
      url: `${url}/pagerduty/${name}`,
    }),
    slack_configs: ({ api_url_file: _, ...settings }) => ({ ...settings, api_url: `${url}/slack/${name}` }),
    webhook_configs: (settings) => ({ ...settings, url: `${url}/webhook/${name}` }),
    email_configs: (settings) => settings,
  };
  return {
    name,
    ...Object.fromEntries(
      Object.entries(integrations).map(([kind, list]) => {
        const replace = replaced[kind];
        if (replace === undefined) throw new Error(`${kind} of ${name} leads to no sink`);
        return [kind, (list as readonly Integration[]).map(replace)];
      }),
    ),
  };
}

/** HTML as people see it. */
const seen = (html: string): string =>
  html
    .replace(/<(style|title)>[\s\S]*?<\/\1>/g, '')
    .replace(/<a href="([^"]*)">([^<]*)<\/a>/g, '$2 <$1>')
    .replace(/<(?!https?:)[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&#34;', '"')
    .replaceAll('&#43;', '+')
    .replaceAll('&amp;', '&')
    .replace(/\n\s*\n+/g, '\n')
    .trim();

interface PagerDuty {
  readonly payload: {
    readonly summary: string;
    readonly severity: string;
    readonly custom_details: { firing: string };
  };
  readonly links: readonly { readonly href: string; readonly text: string }[];
}

interface Slack {
  readonly attachments: readonly {
    readonly title: string;
    readonly title_link: string;
    readonly text: string;
    readonly fallback: string;
    readonly color: string;
  }[];
}

/** A request as text. */
const texts: Readonly<Record<string, (body: unknown) => string>> = {
  pagerduty: (body) => {
    const { payload, links } = body as PagerDuty;
    const linked = links.map(({ href, text }) => `${text}: ${href}`);
    return [payload.summary, `severity: ${payload.severity}`, ...linked, '', payload.custom_details.firing].join('\n');
  },
  slack: (body) =>
    (body as Slack).attachments
      .map(({ title, title_link: link, text, fallback, color }) =>
        [`title: ${title}`, `link: ${link}`, `color: ${color}`, `fallback: ${fallback}`, '', text].join('\n'),
      )
      .join('\n'),
  webhook: (body) => stringify((body as { readonly alerts: unknown }).alerts, { lineWidth: 0 }),
};

async function startSink(cleanup: Cleanup) {
  const messages: Rendered[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const [, kind = '', receiver = ''] = request.url?.split('/') ?? [];
      const text = texts[kind]?.(JSON.parse(Buffer.concat(parts).toString())) ?? '';
      messages.push({ to: `${kind} ${receiver}`, text });
      response.writeHead(kind === 'pagerduty' ? 202 : 200, { 'content-type': 'application/json' }).end('{"ok": true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, messages };
}

/** An Alertmanager with the example, its integrations and its templates, without inhibitions, and in the hour of the digest. */
export async function startRenderer(cleanup: Cleanup) {
  const [sink, mailSink] = await Promise.all([startSink(cleanup), startMailSink(cleanup)]);
  const config = {
    ...example,
    global: { smtp_smarthost: mailSink.address, smtp_from: 'test@example.com', smtp_require_tls: false },
    inhibit_rules: [],
    route: quickened(example.route),
    time_intervals: [{ name: 'digest-hour', time_intervals: [{}] }],
    receivers: example.receivers.map((receiver) => towards(receiver, sink.url)),
  };
  const file = writeExample(cleanup, stringify(config, { lineWidth: 0 }));
  const { url } = await startPeer(
    cleanup,
    'prometheus-alertmanager',
    [
      `--config.file=${file}`,
      `--storage.path=${file}.data`,
      '--web.listen-address=127.0.0.1:0',
      '--web.external-url=http://alertmanager.example.com',
      '--cluster.listen-address=',
    ],
    { TZ: 'Europe/Berlin' },
  );
  return {
    /** @param endsAt of all of them; without it, they fire */
    post: async (alerts: readonly SentExample[], endsAt = '2099-01-01T00:00:00Z'): Promise<void> => {
      const { ok, status } = await fetch(`${url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts.map((alert) => ({ ...alert, endsAt }))),
      });
      if (!ok) throw new Error(`Alertmanager answers ${status}`);
    },
    messages: (): readonly Rendered[] => [
      ...sink.messages,
      ...mailSink.mails.map(({ to, subject, text, html }) => ({
        ...{ to: `mail ${to.replace('@example.com', '')}`, text: `Subject: ${subject}\n\n${text}`, html: seen(html) },
      })),
    ],
  };
}
