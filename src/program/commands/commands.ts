import type { Command } from './command.ts';

/** All commands, the default one first. The module of a command is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Poll the configured analyzer and serve metrics (default).',
    flags: {
      once: {
        what: 'poll once, print the metrics and exit. Exit code 0 if every endpoint answered and no needed field is missing everywhere, else 1.',
      },
    },
    isDaemon: true,
    run: async (context) => (await import('./serve.ts')).serve(context),
  },
  {
    name: 'demo',
    summary:
      'Serve metrics of a simulated site from an embedded analyzer, on loopback. The log shows a curl command to query it.',
    isDaemon: true,
    run: async (context) => (await import('./demo.ts')).demo(context),
  },
  {
    name: 'analyzer',
    summary: 'Run only the embedded analyzer, as a server of the Query API.',
    isDaemon: true,
    run: async (context) => (await import('./analyzer.ts')).analyzer(context),
  },
  {
    name: 'analyzer hash-password',
    summary: 'Print a line for the users file of the embedded analyzer. The password is read from standard input.',
    argument: { placeholder: 'NAME', what: 'the name of the user' },
    flags: {
      output: {
        placeholder: 'FILE',
        what: 'write the line to this users file, where it replaces the line of the same user. A new file gets mode 0600.',
      },
    },
    run: async (context) => (await import('./hash-password.ts')).hashAnalyzerPassword(context),
  },
  {
    name: 'doctor',
    summary:
      'Check step by step whether a daemon with this configuration works: configuration, name, TCP, TLS, logon, each endpoint, settings, clock, storage, listen address, Alertmanagers, mail, webhook, sources. The first line with ✗ names the mistake, and below it is the remedy. Exit code 0 if no step fails, else a number for each kind of mistake.',
    flags: {
      json: { what: 'print JSON.' },
      demo: { what: 'call an embedded analyzer on its simulated site.' },
    },
    run: async (context) => (await import('./doctor.ts')).doctor(context),
  },
  {
    name: 'check-config',
    summary: 'Check a configuration and report all problems with their lines.',
    argument: { placeholder: 'FILE', what: 'a file', flag: 'config.file' },
    run: async (context) => (await import('./check-config.ts')).checkConfig(context),
  },
  {
    name: 'capture',
    summary:
      'Read a configured license manager once and print its output without names of users, hosts, servers, groups, features and daemons, to send it with a report. Exit code 0 if all could be read and something is understood, else 1.',
    argument: { placeholder: 'SOURCE', what: 'the name of a source' },
    run: async (context) => (await import('./capture.ts')).capture(context),
  },
  {
    name: 'try-source',
    summary:
      'Print what is understood of a capture, or of the output of a license manager, and each line that is not. Exit code 0 if everything is understood, 1 if not, 2 if the file cannot be read or is something else.',
    argument: { placeholder: 'FILE', what: 'a file' },
    run: async (context) => (await import('./try-source.ts')).trySource(context),
  },
  {
    name: 'import',
    summary:
      'Import the past into the history of the embedded analyzer: debug logs of FlexNet, report logs of RLM, dated outputs of lmstat (a file or a folder), series of a server with the API of Prometheus (its address), or the days of another analyzer (the name of a source). A folder is read with its subfolders; files can be compressed (.gz, .zst). What is recorded already stays. A daemon can go on running: it takes the import up within a minute. It can be interrupted and repeated. Exit code 0 if anything was found, else 1.',
    argument: { placeholder: 'FROM', what: 'a file, a folder, an address or a source' },
    flags: {
      'dry-run': { what: 'only report what would be imported.' },
      server: {
        placeholder: 'NAME',
        what: 'the license server of the daemons in the logs, if the history does not tell it.',
      },
      'time-zone': { placeholder: 'NAME', what: 'the time zone of the logs, if it is not that of the analyzer.' },
      encoding: { placeholder: 'NAME', what: 'the encoding of the logs, if it is not UTF-8 or Latin-1.' },
      'first-day': {
        placeholder: 'DATE',
        what: 'of a server, the first day, such as 2026-01-31 (default: 400 days ago).',
      },
      'last-day': { placeholder: 'DATE', what: 'of a server, the last day (default: yesterday).' },
      'authorization-file': {
        placeholder: 'FILE',
        what: 'a file with the value of the header Authorization for the server, such as "Bearer …".',
      },
      'available-as-of-now': {
        what: 'use the number of licenses of today for the past, where a log does not tell it.',
      },
      'without-reservations': {
        what: 'no licenses were reserved, where a log does not tell it. Features with recorded reservations are left out.',
      },
    },
    run: async (context) => (await import('./import.ts')).importCommand(context),
  },
  {
    name: 'history export',
    summary:
      'Print the history of the embedded analyzer, as OpenMetrics text with time stamps for `promtool tsdb create-blocks-from openmetrics`, or as CSV. A daemon can go on running.',
    flags: {
      format: { placeholder: 'FORMAT', what: 'openmetrics (default) or csv.' },
      'first-day': { placeholder: 'DATE', what: 'the first day, such as 2026-01-31 (default: all there is).' },
      'last-day': { placeholder: 'DATE', what: 'the last day (default: today).' },
      feature: { placeholder: 'PATTERN', what: 'only these features; * stands for any characters.' },
    },
    run: async (context) => (await import('./history-export.ts')).historyExport(context),
  },
  {
    name: 'backup',
    summary:
      'Write history, right-sizing advice and the key of the pseudonyms to a new directory. A daemon that uses `storage.path` can go on running.',
    argument: { placeholder: 'DIRECTORY', what: 'a new directory' },
    run: async (context) => (await import('./backup.ts')).backup(context),
  },
  {
    name: 'restore',
    summary:
      'Replace the data in `storage.path` by a backup. The daemon must be stopped. What was there is moved to a folder in `storage.path`.',
    argument: { placeholder: 'DIRECTORY', what: 'the directory of a backup' },
    run: async (context) => (await import('./backup.ts')).restore(context),
  },
  {
    name: 'rules',
    summary:
      'Print the rules for Prometheus, with links, labels, and the settings of the alerts that Prometheus evaluates.',
    run: async (context) => (await import('./rules.ts')).rules(context),
  },
  {
    name: 'test-alert',
    summary:
      'Send a test alert to every configured receiver and print the answers. Exit code 0 if all accept it, else 1.',
    run: async (context) => (await import('./test-alert.ts')).testAlert(context),
  },
  {
    name: 'hash-password',
    summary: 'Print a line for `basic_auth_users` of the web config. The password is read from standard input.',
    argument: { placeholder: 'NAME', what: 'the name of the user' },
    flags: {
      output: {
        placeholder: 'FILE',
        what: 'write the line to this web config, where it replaces the line of the same user. A new file gets mode 0600.',
      },
    },
    run: async (context) => (await import('./hash-password.ts')).hashPassword(context),
  },
];

/** How a command is called: `check-config FILE`. */
export const usageOf = ({ name, argument }: Command): string =>
  argument === undefined ? name : `${name} ${argument.placeholder}`;
