import type { Command } from './command.ts';

/** Every command, the default one first. Its module is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Poll the configured analyzer and serve metrics (default).',
    flags: { once: 'poll once, print the metrics and exit: 0 when every endpoint answered, else 1.' },
    run: async (context) => (await import('./serve.ts')).serve(context),
  },
  {
    name: 'demo',
    summary:
      'The same on an embedded analyzer with a simulated site, on loopback. The log says how to ask it with curl.',
    run: async (context) => (await import('./demo.ts')).demo(context),
  },
  {
    name: 'analyzer',
    summary: 'The embedded analyzer alone, as a server of the Query API for others.',
    run: async (context) => (await import('./analyzer.ts')).analyzer(context),
  },
  {
    name: 'analyzer hash-password',
    summary: 'Print a line for its file of users. The password is read from standard input.',
    argument: { placeholder: 'NAME', what: 'the name of the user' },
    run: async (context) => (await import('./hash-password.ts')).hashAnalyzerPassword(context),
  },
  {
    name: 'doctor',
    summary:
      'Call every endpoint of the configured analyzer as the exporter does, and compare the answers with the specification: 0 when the exporter accepts all of them, else 1.',
    flags: { json: 'print JSON.', demo: 'call an embedded analyzer on its simulated site.' },
    run: async (context) => (await import('./doctor.ts')).doctor(context),
  },
  {
    name: 'check-config',
    summary: 'Check a configuration and report everything wrong with it, with the line.',
    argument: { placeholder: 'FILE', what: 'a file', flag: 'config.file' },
    run: async (context) => (await import('./check-config.ts')).checkConfig(context),
  },
  {
    name: 'test-alert',
    summary:
      'Send one alert that says it is a test to every configured Alertmanager, and print what each answers: 0 when all accept it, else 1.',
    run: async (context) => (await import('./test-alert.ts')).testAlert(context),
  },
  {
    name: 'hash-password',
    summary: 'Print a line for `basic_auth_users` of the web config. The password is read from standard input.',
    argument: { placeholder: 'NAME', what: 'the name of the user' },
    run: async (context) => (await import('./hash-password.ts')).hashPassword(context),
  },
];

/** How a command is called: `check-config FILE`. */
export const usageOf = ({ name, argument }: Command): string =>
  argument === undefined ? name : `${name} ${argument.placeholder}`;
