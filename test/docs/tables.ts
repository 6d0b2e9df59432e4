import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { severitiesOf } from '../../deploy/prometheus/runbooks.ts';
import { manifest } from '../../deploy/release/addresses.ts';
import type { AlertName } from '../../src/alerting/alerts/definitions.ts';
import { allAlerts } from '../../src/alerting/alerts/rules.ts';
import { archiveProblems } from '../../src/analyzer/archive/connection.ts';
import { blockedColumns, dayColumns, hourColumns } from '../../src/analyzer/archive/rows.ts';
import { storeProblems } from '../../src/analyzer/history/history-file.ts';
import { type Question, questions } from '../../src/analyzer/sources/manager.ts';
import { managerNames, managers } from '../../src/analyzer/sources/managers.ts';
import { sourceKeys } from '../../src/analyzer/sources/settings.ts';
import { connectionCodes, explainConnection, theAnalyzer } from '../../src/base/model/connection-failure.ts';
import { failureKinds } from '../../src/base/model/failure.ts';
import { sourceFailureKinds } from '../../src/base/model/observation/source-failure.ts';
import { ntlmCodes } from '../../src/base/ntlm/errors.ts';
import { errorCodes } from '../../src/base/query-api/errors.ts';
import { settingOf } from '../../src/base/settings/table.ts';
import { kindOfCode, ntlmKinds } from '../../src/exporter/client/failures.ts';
import { answerFaults } from '../../src/exporter/inventory/decoding/answer-faults.ts';
import { catalogue } from '../../src/exporter/metrics/catalogue.ts';
import { collectors, featureLabels, type Metric, type Presence } from '../../src/exporter/metrics/metric.ts';
import { processMetrics } from '../../src/exporter/metrics/process-metrics.ts';
import { flagUsage } from '../../src/program/commands/command.ts';
import { commands, usageOf } from '../../src/program/commands/commands.ts';
import { shownDefault } from '../../src/program/config/setting-flags.ts';
import { settingKeys, settings, variableName } from '../../src/program/config/settings.ts';
import { unsupported, webConfigKeys } from '../../src/program/config/web-config.ts';
import { exitCodes } from '../../src/program/diagnosis/step.ts';
import { datasourceErrors } from '../../src/site/grafana/answers/errors.ts';
import { type Key, payloadKeys } from '../../src/site/grafana/answers/payload-keys.ts';
import { type Target, targets } from '../../src/site/grafana/answers/targets.ts';
import { pages } from '../../src/site/pages/table.ts';
import { webLimits } from '../../src/site/web/limits.ts';
import { type ListedPath, listenerPaths, type Readers } from '../../src/site/web/listener-paths.ts';
import { dashboards } from '../support/dashboards.ts';
import { doorsOf } from '../support/imports.ts';
import { cell, code, table } from '../support/markdown.ts';
import { startFiles, wings } from '../support/rooms.ts';
import { observationSections } from './observation-document.ts';
import { durationTable, endpointSections, recordSections } from './query-api.ts';

/** The parts of the documentation that are generated from the code, by the name in their markers `<!-- begin NAME -->` and `<!-- end NAME -->`. */

/** The doors of a wing, by folder: an item for each folder of the wing, with the folders in it. */
function doorList(wing: string): string {
  const items = Map.groupBy(doorsOf(wing), (path) => dirname(path).split('/')[0]);
  return [...items.values()]
    .map((paths) =>
      [...Map.groupBy(paths, dirname)]
        .map(([folder, inside]) => {
          const names = inside.map((path) => basename(path)).join(', ');
          return folder === '.' ? names : `**${folder}**: ${names}`;
        })
        .join('; '),
    )
    .map((item) => `- ${item}`)
    .join('\n');
}

const groupOf = ({ group }: Metric): string => {
  if (group === 'default') return 'always';
  if (group === 'alerting') return 'with the alert engine';
  if (group === 'messages') return 'with e-mail or a webhook';
  if (group === 'sources') return 'with sources';
  if (group === 'logons') return 'without sources';
  return `${group}${collectors[group] ? '' : ' (off)'}`;
};

/** The labels of a metric. Those that every metric of a feature has are named once, above the table. */
function labelsText({ labels }: Metric): string {
  const isOfFeature = featureLabels.every((label, i) => labels[i] === label);
  return (isOfFeature ? ['feature labels', ...labels.slice(featureLabels.length)] : labels).join(', ');
}

const presenceTexts: Readonly<Record<Presence, string>> = {
  always: 'always',
  known: 'while known',
  'not 0': 'while not 0',
  seen: 'from the first on',
};

type Columns = Readonly<Record<string, { readonly about: string }>>;

/** The columns of tables of the archive. One that means the same in several has one row. */
function columnsTable(of: Readonly<Record<string, Columns>>): string {
  const all = Object.entries(of).flatMap(([name, columns]) =>
    Object.entries(columns).map(([column, { about }]) => ({ name: code(name), row: [code(column), cell(about)] })),
  );
  const rows = Object.values(Object.groupBy(all, ({ row }) => row.join()));
  return table(
    ['column', 'meaning', 'table'],
    rows.map((same = []) => [...(same[0]?.row ?? []), same.map(({ name }) => name).join(', ')]),
  );
}

export const tables: Readonly<Record<string, () => string>> = {
  metrics: () => {
    const metrics = table(
      ['metric', 'type', 'labels', 'collector', 'sample', 'help'],
      Object.entries(catalogue).map(([name, metric]: [string, Metric]) => [
        code(name),
        metric.type,
        labelsText(metric),
        groupOf(metric),
        presenceTexts[metric.presence],
        cell(metric.help),
      ]),
    );
    return `The *feature labels* are ${featureLabels.map(code).join(', ')}.\n\n${metrics}`;
  },
  'process metrics': () =>
    table(
      ['metric of the process', 'help'],
      Object.entries(processMetrics).map(([name, help]) => [code(name), help]),
    ),
  alerts: () =>
    table(
      ['alert', 'severity'],
      (Object.keys(allAlerts) as AlertName[]).map((alert) => [
        `[${alert}](../deploy/runbooks.md#${alert.toLowerCase()})`,
        severitiesOf(alert).join(', '),
      ]),
    ),
  settings: () =>
    table(
      ['setting', 'default', 'meaning'],
      settingKeys.map((key) => {
        const setting = settings[key];
        const isConstant = setting.shownDefault === undefined;
        return [
          code(setting.secret ? variableName(key) : key),
          isConstant ? code(shownDefault(key)) : cell(shownDefault(key)),
          cell(`${setting.description}${setting.fileOnly === true ? ' Only in the file.' : ''}`),
        ];
      }),
    ),
  'source settings': () =>
    table(
      ['key', 'default', 'meaning'],
      Object.entries(sourceKeys).map(([key, schema]) => {
        const { shownDefault: shown, description } = settingOf(schema);
        return [code(key), cell(shown ?? ''), cell(description)];
      }),
    ),
  'license managers': () =>
    table(
      ['manager', 'how', 'tried on'],
      managerNames.map((name) => {
        const page = `managers/${name}.md`;
        return [
          existsSync(join(import.meta.dirname, '../../docs', page)) ? `[${code(name)}](${page})` : code(name),
          managers[name].how,
          managers[name].triedOn,
        ];
      }),
    ),
  answers: () =>
    table(
      ['value', ...managerNames.map(code)],
      Object.entries(questions).map(([question, meaning]) => [
        meaning,
        ...managerNames.map((name) => managers[name].answers[question as Question].replace(/^none$/, 'no')),
      ]),
    ),
  'source failures': () =>
    table(
      ['kind of failure', 'meaning'],
      Object.entries(sourceFailureKinds).map(([kind, meaning]) => [code(kind), cell(meaning)]),
    ),
  'failure kinds': () =>
    table(
      ['kind', 'meaning'],
      Object.entries(failureKinds).map(([kind, meaning]) => [code(kind), cell(meaning)]),
    ),
  'connection codes': () =>
    table(
      ['code', 'kind', 'meaning', 'remedy'],
      // several codes can have one cause
      [
        ...Map.groupBy(connectionCodes, (name) => {
          const { finding = '', remedy = '' } = explainConnection(name, undefined, theAnalyzer) ?? {};
          const row = [code(kindOfCode(name) ?? 'connect'), cell(finding.replace(` (${name})`, '')), cell(remedy)];
          return JSON.stringify(row);
        }),
      ].map(([row, names]) => [names.map(code).join(', '), ...(JSON.parse(row) as string[])]),
    ),
  'doctor exit codes': () =>
    table(
      ['exit code', 'meaning'],
      [
        ['0', 'No step failed.'],
        ...Object.values(exitCodes).map(({ code: number, meaning }) => [String(number), cell(meaning)]),
      ],
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
  'analyzer errors': () =>
    table(
      ['status', 'code', 'meaning'],
      Object.entries(errorCodes).map(([name, { status, meaning }]) => [String(status), code(name), cell(meaning)]),
    ),
  'store problems': () =>
    table(
      ['the history store (FILE): …'],
      Object.values(storeProblems).map((problem) => [cell(problem)]),
    ),
  paths: () => {
    const readers: Readonly<Record<Readers, string>> = {
      users: 'users',
      clients: 'everyone, unless `web.protect_health` is true',
      operators: 'users, or this host',
    };
    const all: readonly ListedPath[] = [...Object.values(pages), ...Object.values(listenerPaths)];
    return table(
      ['path', 'what it serves', 'methods', 'for whom'],
      all.map(({ path, about, methods, readers: who }) => [code(path), cell(about), methods, readers[who]]),
    );
  },
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
        ...Object.entries(unsupported).map(([key, remedy]) => [code(key), `refused: ${cell(remedy)}`]),
      ],
    ),
  'archive columns': () => columnsTable({ day: dayColumns, hour: hourColumns, blocked_day: blockedColumns }),
  'archive problems': () =>
    table(
      ['problem of the archive, and the remedy'],
      Object.values(archiveProblems).map((problem) => [cell(problem)]),
    ),
  dashboards: () =>
    table(
      ['dashboard', 'what it answers'],
      dashboards.map(({ uid, title, description }) => [`[${title}](../grafana/json/${uid}.json)`, cell(description)]),
    ),
  'grafana targets': () => {
    const all: readonly Target[] = Object.values(targets);
    const common = Object.keys(payloadKeys).filter((key) => all.every(({ keys }) => keys.some((own) => own === key)));
    const ofTargets = table(
      ['target', 'from', 'other keys (* required)', 'shapes', 'shapes of rows'],
      Object.entries(targets).map(([name, { endpoint, from, keys, required, shapes, rowShapes }]: [string, Target]) => [
        code(name),
        {
          poll: `the poll of ${endpoint}`,
          analyzer: `the analyzer, ${endpoint}`,
          history: 'the history in this process',
          alerts: 'the evaluation of alerts',
          pass: 'the nightly pass',
        }[from],
        keys
          .filter((key) => !common.includes(key))
          .map((key) => `${code(key)}${required.includes(key) ? '*' : ''}`)
          .join(', '),
        keys.includes('shape') ? shapes.map(code).join(', ') : code(shapes[0] ?? ''),
        rowShapes.map(code).join(', '),
      ]),
    );
    return `Every target has the keys ${common.map(code).join(', ')}.\n\n${ofTargets}`;
  },
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
      commands.map((command) => [
        code(usageOf(command)),
        cell(
          [
            command.summary,
            ...Object.entries(command.flags ?? {}).map(
              ([name, flag]) => `With ${code(flagUsage(name, flag))}, ${flag.what}`,
            ),
          ].join(' '),
        ),
      ]),
    ),
  'security contact': () => code(manifest().config.security),
  'query api records': recordSections,
  'query api endpoints': endpointSections,
  'duration codes': durationTable,
  'observation document': observationSections,
  wings: () => {
    const arrows = Object.entries(wings).flatMap(([wing, { uses }]) =>
      // program uses all: its other arrows would hide these
      wing === 'program' ? [] : uses.map((to) => `  ${wing} --> ${to}`),
    );
    const named = Object.entries(wings).map(
      ([wing, { rooms }]) => `  ${wing}["<b>${wing}</b><br/>${Object.keys(rooms).join(' · ')}"]`,
    );
    return ['```mermaid', 'flowchart TD', ...named, '  program ==> site & analyzer', ...arrows, '```'].join('\n');
  },
  rooms: () =>
    table(
      ['wing', 'room', 'promise', 'may import'],
      [
        ...Object.entries(wings).flatMap(([wing, { promise, uses, rooms }]) => [
          [`**[${code(`src/${wing}`)}](../../src/${wing}/README.md)**`, '', cell(promise), uses.join(', ')],
          ...Object.entries(rooms).map(([room, own]) => [
            '',
            code(`src/${wing}/${room}`),
            cell(own.promise),
            own.uses.join(', '),
          ]),
        ]),
        ...Object.entries(startFiles).map(([name, { promise, uses }]) => [
          '',
          code(name),
          cell(promise),
          uses.map(code).join(', '),
        ]),
      ],
    ),
  // every file of base is one
  ...Object.fromEntries(
    Object.keys(wings).flatMap((wing) => (wing === 'base' ? [] : [[`doors of ${wing}`, () => doorList(wing)]])),
  ),
};
