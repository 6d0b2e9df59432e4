import { drawnYears } from '../support/extent.ts';

/** A part of `npm run verify`: a script of package.json, or the runner of tests. */
export interface Part {
  readonly name: string;
  readonly about: string;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** What the page keeps of the standard output. */
  readonly figures: (output: string) => string;
}

const everything = (output: string): string => output.replace(/^\n+|\s+$/g, '');

const lastLines =
  (count: number) =>
  (output: string): string =>
    output.trim().split('\n').slice(-count).join('\n');

const script = (name: string, ...flags: readonly string[]): Part['command'] => [
  'npm',
  'run',
  '--silent',
  name,
  ...(flags.length > 0 ? ['--', ...flags] : []),
];

/** In the order of a whole run: what measures comes first, while nothing else has warmed or filled the host. */
export const parts: readonly Part[] = [
  {
    name: 'check',
    about: 'types, lint, unused code',
    command: script('check'),
    figures: lastLines(0),
  },
  {
    name: 'pictures',
    about: 'pictures of the documentation that are older than what they show: it lists them, and fails for none',
    command: script('pictures', '--check'),
    figures: everything,
  },
  {
    name: 'bench',
    about: 'every benchmark against its floor',
    command: script('bench', '--quick', '--check'),
    figures: everything,
  },
  {
    name: 'storm',
    about: 'daemons under faults, with the limits in seconds',
    command: script('storm', '--check'),
    figures: everything,
  },
  {
    name: 'sources-day',
    about: 'a simulated day of 60 license managers that fail in turn',
    command: script('sources-day', '--check'),
    figures: lastLines(2),
  },
  {
    name: 'day',
    about: 'memory over a simulated day of 20,000 features',
    command: script('day', '--check', '--features', '20000'),
    figures: lastLines(1),
  },
  {
    name: 'install',
    about: 'package, archive, image, unit and documented commands on bare machines',
    command: script('test:install'),
    figures: lastLines(1),
  },
  {
    name: 'years',
    about: 'statistics of drawn years',
    command: ['npx', 'vitest', 'run', ...drawnYears],
    env: { TEST_YEARS: '1' },
    figures: lastLines(1),
  },
  {
    name: 'random',
    about: 'all other tests with long random runs and more kills',
    command: ['npx', 'vitest', 'run'],
    env: { TEST_LONG: '1', TEST_MATRIX: '1' },
    figures: lastLines(1),
  },
];
