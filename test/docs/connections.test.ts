import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shownDefault } from '../../src/program/config/setting-flags.ts';
import { type SettingKey, settingKeys, settings } from '../../src/program/config/settings.ts';
import { readPage, root } from '../support/markdown.ts';

/** docs/company.md lists every connection: each setting with an address, and each file of the program that connects to something. */

const section = /^## Ports and connections\n([\s\S]*?)^## /m.exec(readPage('docs/company.md'))?.[1] ?? '';
const [incoming = '', outgoing = ''] = section.split('Outgoing, ');
const linesOf = (text: string, isRow: boolean): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') === isRow)
    .join('\n');

/** An address of each kind: a listener, a server, a URL, a database. */
const addresses = [
  ':9093',
  'server.example.com:9093',
  'https://server.example.com',
  'postgresql://a@server.example.com/b',
];
/** What other settings accept too: a text, people, hosts that are reached without a proxy. */
const others = ['a word', 'someone@example.com', 'example.com'];

/** Whether a setting is an address, by what it accepts, or names a file with one. */
function isAddress(key: SettingKey): boolean {
  const accepts = (value: string): boolean => settings[key].schema.safeParse(value).success;
  return /(?:^|[._])url_file$/.test(key) || (addresses.some(accepts) && !others.some(accepts));
}

const found = settingKeys.filter(isAddress);
const listeners = found.filter((key) => key.endsWith('listen_address'));

/** They are in texts, for people. */
const links = ['web.external_url', 'alerting.alertmanager_external_url', 'alerting.runbook_base_url'];

describe('the tables of connections', () => {
  it('have every setting with an address', () => {
    const missingIn = (text: string, keys: readonly string[]) => keys.filter((key) => !text.includes(`\`${key}\``));
    const targets = found.filter((key) => !listeners.includes(key) && !links.includes(key));
    expect(targets).toEqual(
      expect.arrayContaining(['analyzer.url', 'alerting.email.smarthost', 'storage.archive.url']),
    );
    expect(missingIn(linesOf(incoming, true), listeners)).toEqual([]);
    expect(missingIn(linesOf(outgoing, true), targets)).toEqual([]);
    expect(missingIn(linesOf(outgoing, false), links)).toEqual([]);
  });

  it('have the default of each listener', () => {
    for (const key of listeners) {
      const row = incoming.split('\n').find((line) => line.includes(`\`${key}\``));
      const [address] = /\S*:\d+/.exec(shownDefault(key).replaceAll('`', '')) ?? ['none'];
      expect(row, key).toContain(address);
    }
  });
});

/** By file: to what it connects, as the table says. */
const connecting: Readonly<Record<string, string>> = {
  // programs that the daemon starts: the tools of a source, and systemd-notify, which connects to nothing
  'src/analyzer/sources/transport/child-run.ts': 'license servers, by their tools',
  'src/analyzer/sources/transport/reaper.ts': 'license servers, by their tools',
  'src/program/commands/command.ts': '',
  'src/exporter/client/connection.ts': 'the analyzer',
  'src/exporter/client/connection-pool.ts': 'the analyzer',
  'src/analyzer/sources/transport/http-transport.ts': 'a service with text or JSON',
  'src/analyzer/archive/connection.ts': 'PostgreSQL',
  'src/analyzer/exchange/prometheus-api.ts': 'a Prometheus',
  'src/alerting/alerts/http-client.ts': 'Alertmanagers',
  'src/alerting/alerts/proxy.ts': 'a proxy to Alertmanagers or webhook',
  'src/alerting/messages/smtp.ts': 'the mail server',
  'src/program/diagnosis/network-steps.ts': '`doctor`',
  'src/program/diagnosis/first-answer.ts': '`doctor`',
  'src/program/diagnosis/tls-step.ts': '`doctor`',
  'src/program/diagnosis/delivery-steps.ts': '`doctor`',
  'src/program/diagnosis/web-step.ts': '`doctor`',
  'src/site/web/server.ts': 'name servers',
};

/** Names of modules for the network that connect to nothing. */
const harmless =
  /^(?:BlockList|isIPv?[46]?|createServer|createSecureContext|createHttpServer|createHttpsServer|createTlsServer|STATUS_CODES|errors|Dispatcher|TLSSocket|Server|TlsServer|)$/;
const modules = '(?:node:)?(?:net|tls|https?|http2|dgram|dns(?:/promises)?|child_process)|undici|pg|nodemailer[\\w/-]*';

/** Whether a file imports something that connects, or a program that starts others, or calls `fetch`. */
function connects(path: string): boolean {
  const text = readFileSync(join(root, path), 'utf8');
  const names = [...text.matchAll(new RegExp(`^import (?!type )\\{?([^;]*?)\\}? from '(?:${modules})'`, 'gm'))].flatMap(
    ([, list = '']) => list.split(',').map((name) => name.trim()),
  );
  const used = names.filter((name) => !name.startsWith('type ')).map((name) => name.replace(/^\w+ as /, ''));
  return (
    used.some((name) => !harmless.test(name)) ||
    /\bimport\('(?:pg|nodemailer\/lib\/smtp-connection|undici)'\)|\bawait fetch\(/.test(text)
  );
}

describe('files that connect to something', () => {
  it('are in the table', () => {
    expect(globSync('src/**/*.ts', { cwd: root }).filter(connects).sort()).toEqual(Object.keys(connecting).sort());
    expect(Object.values(connecting).filter((row) => !section.includes(row))).toEqual([]);
  });
});
