import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertCatalogue } from '../deploy/prometheus/catalogue.ts';
import { createRules } from '../src/alerts/rules.ts';
import { storeProblems } from '../src/analyzer/history-file.ts';
import { answerFaults } from '../src/client/answer-faults.ts';
import { ntlmKinds } from '../src/client/failures.ts';
import { alertRules as engineRules, fileKey, type RuleParameter } from '../src/config/alert-rules.ts';
import { commands, shownDefault } from '../src/config/flags.ts';
import { loadConfig } from '../src/config/load.ts';
import type { ConfigError } from '../src/config/problems.ts';
import { environmentName, flagName, type Setting, settingKeys, settings } from '../src/config/settings.ts';
import { notOffered, webConfigKeys } from '../src/config/web-config.ts';
import { datasourceErrors } from '../src/datasource/errors.ts';
import { type Key, payloadKeys, type Target, targets } from '../src/datasource/targets.ts';
import { catalogue } from '../src/metrics/catalogue.ts';
import { collectors, type Metric } from '../src/metrics/metric.ts';
import { failureKinds } from '../src/model/failure.ts';
import { ntlmCodes } from '../src/ntlm/errors.ts';
import { cronProblem } from '../src/poll/schedule.ts';
import { endpoints } from '../src/query-api/endpoints.ts';
import { errorCodes } from '../src/query-api/errors.ts';
import { recordFields } from '../src/query-api/records.ts';
import { webLimits } from '../src/web/limits.ts';
import { settingsOf } from './alerts/views.ts';
import { alertRules } from './deploy/rules.ts';
import { dashboards } from './grafana/dashboards.ts';

/** The tables of the README are made from the code. `UPDATE_README=1` writes them. */

const path = join(import.meta.dirname, '../README.md');

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' ? '' : `\`${cell(text)}\``);
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const shownSeconds = (seconds: number): string =>
  seconds % 60 === 0 && seconds > 0 ? `${seconds / 60}m` : `${seconds}s`;

const groupOf = ({ group }: Metric): string => {
  if (group === 'default') return 'always';
  if (group === 'alerting') return 'with the alert engine';
  return `${group}${collectors[group] ? '' : ' (off)'}`;
};

const tables: Readonly<Record<string, () => string>> = {
  metrics: () =>
    table(
      ['metric', 'type', 'labels', 'collector', 'help'],
      Object.entries(catalogue).map(([name, metric]: [string, Metric]) => [
        code(name),
        metric.type,
        metric.labels.join(', '),
        groupOf(metric),
        cell(metric.help),
      ]),
    ),
  alerts: () =>
    table(
      ['alert', 'condition', 'severity', '`for`: rules', '`for`: engine', 'runbook'],
      alertRules.map(({ alert, labels: { severity }, for: pendingFor }) => {
        const description = Object.entries(alertCatalogue).find(([name]) => name === alert)?.[1];
        const engine = createRules(settingsOf()).find(({ id }) => id === `${alert}/${severity}`);
        return [
          code(alert),
          description?.condition ?? '',
          severity,
          pendingFor,
          engine === undefined ? 'rules only' : shownSeconds(engine.durations({}).for),
          `[${alert}](deploy/runbooks.md#${alert.toLowerCase()})`,
        ];
      }),
    ),
  'alert rules': () =>
    table(
      ['alert', 'value', 'default', 'meaning'],
      Object.entries(engineRules).flatMap(([alert, { parameters }]) =>
        Object.entries(parameters as Readonly<Record<string, RuleParameter>>).map(([name, parameter]) => [
          code(alert),
          code(fileKey(name)),
          parameter.default === undefined ? '' : code(String(parameter.default)),
          cell(parameter.doc),
        ]),
      ),
    ),
  settings: () =>
    table(
      ['file key', 'flag', 'environment', 'default', 'meaning'],
      settingKeys.map((key) => {
        const setting: Setting = settings[key];
        const flag = flagName(key);
        const isConstant = setting.shownDefault === undefined;
        return [
          setting.secret ? '' : code(key),
          flag === undefined ? '' : code(`--${flag}`),
          setting.fileOnly ? '' : code(environmentName(key)),
          isConstant ? code(shownDefault(key)) : cell(shownDefault(key)),
          cell(setting.doc),
        ];
      }),
    ),
  'failure kinds': () =>
    table(
      ['kind', 'meaning'],
      Object.entries(failureKinds).map(([kind, meaning]) => [code(kind), cell(meaning)]),
    ),
  'answer codes': () =>
    table(
      ['code', 'kind', 'message'],
      Object.entries(answerFaults).map(([name, { kind, message }]) => [code(name), code(kind), cell(message)]),
    ),
  'logon codes': () =>
    table(
      ['code', 'kind', 'meaning'],
      Object.entries(ntlmCodes).map(([name, meaning]) => [
        code(name),
        code(ntlmKinds[name as keyof typeof ntlmCodes]),
        cell(meaning),
      ]),
    ),
  endpoints: () =>
    table(
      ['endpoint', 'method', 'answer', 'what'],
      Object.entries(endpoints).map(([name, { method, answer, summary }]) => [
        code(name),
        method,
        answer,
        cell(summary),
      ]),
    ),
  'analyzer errors': () =>
    table(
      ['status', 'code', 'meaning'],
      Object.entries(errorCodes).map(([name, { status, meaning }]) => [String(status), code(name), cell(meaning)]),
    ),
  fields: () =>
    table(
      ['endpoint', 'field', 'meaning'],
      Object.entries(recordFields).flatMap(([endpoint, fields]) =>
        Object.entries(fields).map(([field, { meaning }]) => [code(endpoint), code(field), cell(meaning)]),
      ),
    ),
  'store problems': () =>
    table(
      ['the history store (FILE): …'],
      Object.values(storeProblems).map((problem) => [cell(problem)]),
    ),
  'web limits': () => {
    const { connections, scrapes, requests, logons, ahead, stalledMs, answerMs, headMs, waitMs } = webLimits;
    const seconds = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`);
    return table(
      ['what', 'of one address', 'in all', 'beyond it'],
      [
        ['`/metrics` at once', `${scrapes.workPerAddress}`, `${scrapes.work}`, '503'],
        ['other requests at once', `${requests.workPerAddress}`, `${requests.work}`, 'they wait'],
        [
          'other requests that wait',
          `${requests.waitingPerAddress}`,
          `${requests.waiting}`,
          `503; after their deadline too (\`datasource.deadline\`, else ${seconds(waitMs)})`,
        ],
        [
          'passwords not yet known to be right that wait for their check',
          `${logons.waitingPerAddress}`,
          `${logons.waiting}`,
          '503',
        ],
        ['connections', `${connections.perAddress}`, `${connections.total}`, 'closed'],
        ['requests sent ahead on a connection', `${ahead}`, '', 'connection cut'],
        ['an answer of which the client takes no byte', seconds(stalledMs), '', 'connection cut'],
        ['a request and its answer', seconds(answerMs), '', 'connection cut'],
        ['the head of a request', seconds(headMs), '', '408'],
      ],
    );
  },
  'web config': () =>
    table(
      ['key of the web config', 'meaning'],
      [
        ...Object.entries(webConfigKeys).map(([key, meaning]) => [code(key), cell(meaning)]),
        ...Object.entries(notOffered).map(([key, remedy]) => [code(key), `refused: ${cell(remedy)}`]),
      ],
    ),
  dashboards: () =>
    table(
      ['dashboard', 'what it answers'],
      dashboards.map(({ uid, title, description }) => [`[${title}](grafana/json/${uid}.json)`, cell(description)]),
    ),
  'grafana targets': () =>
    table(
      ['target', 'from', 'keys (* required)', 'shapes'],
      Object.entries(targets).map(([name, { endpoint, from, keys, required, shapes }]: [string, Target]) => [
        code(name),
        `${from === 'poll' ? 'the poll of' : 'the analyzer,'} ${endpoint}`,
        keys.map((key) => `${code(key)}${required.includes(key) ? '*' : ''}`).join(', '),
        keys.includes('shape') ? shapes.map(code).join(', ') : code(shapes[0] ?? ''),
      ]),
    ),
  'grafana keys': () =>
    table(
      ['key', 'meaning', 'values'],
      Object.entries(payloadKeys).map(([name, { meaning, options, integer }]: [string, Key]) => [
        code(name),
        cell(meaning),
        integer !== undefined ? integer.join(' to ') : (options ?? []).map(code).join(', '),
      ]),
    ),
  'grafana errors': () =>
    table(
      ['status', 'code', 'meaning'],
      Object.entries(datasourceErrors).map(([name, { status, meaning }]) => [
        String(status),
        code(name),
        cell(meaning),
      ]),
    ),
  commands: () =>
    table(
      ['command', 'what it does'],
      Object.entries(commands).map(([name, doc]) => [code(name), cell(doc)]),
    ),
};

describe('README', () => {
  it.each(Object.keys(tables))('has the table of %s as the code has it', (name) => {
    const text = readFileSync(path, 'utf8');
    const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    expect({ from: from > 0, to: to > from }).toEqual({ from: true, to: true });
    const wanted = `${begin}\n${tables[name]?.()}\n${end}`;
    if (process.env.UPDATE_README === '1')
      writeFileSync(path, text.slice(0, from) + wanted + text.slice(to + end.length));
    expect(readFileSync(path, 'utf8')).toContain(wanted);
  });

  it('shows configurations that are taken', () => {
    const sections = new Set(settingKeys.map((key) => key.split('.')[0]));
    const blocks = [...readFileSync(path, 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);
    const ours = blocks.filter((yaml) => Object.keys(parse(yaml)).every((key) => sections.has(key)));
    expect(ours.length).toBeGreaterThan(2);
    for (const yaml of ours) {
      const folder = mkdtempSync(join(tmpdir(), 'license-exporter-readme-'));
      writeFileSync(join(folder, 'config.yml'), yaml);
      try {
        loadConfig({
          configFile: join(folder, 'config.yml'),
          flags: new Map(),
          env: {},
          requireAnalyzer: false,
          cronProblem,
        });
      } catch (error) {
        // the files they name are not here
        const { problems } = error as ConfigError;
        expect(problems.filter(({ message }) => !message.endsWith('does not exist'))).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  });

  it('answers every question with panels that exist', () => {
    const text = readFileSync(path, 'utf8');
    const rows = /\| question \| dashboard: panel \|\n.*\n((?:\|.*\n)+)/.exec(text)?.[1]?.trim().split('\n') ?? [];
    expect(rows).toHaveLength(15);
    const panels = new Set(
      dashboards.flatMap(({ title, panels: list }) =>
        list.map((panel) => `${title.replace('Licenses / ', '')}: ${panel.title}`),
      ),
    );
    for (const panel of rows.flatMap((row) => (row.split(' | ')[1] ?? '').replace(/ \|$/, '').split('; '))) {
      expect(panels).toContain(panel);
    }
  });

  it('names only metrics that exist', () => {
    const known = new Set(Object.keys(catalogue).flatMap((name) => [name, `${name}_bucket`]));
    const named = readFileSync(path, 'utf8').match(/\blicense_[a-z_]+\b/g) ?? [];
    const unknown = named.filter(
      (name) => !known.has(name) && !/_$|^license_(exporter|poll|feature|upstream|type|model|password)$/.test(name),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });
});
