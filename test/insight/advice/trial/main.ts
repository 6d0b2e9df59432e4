import { parseArgs } from 'node:util';
import { kinds } from '../../../support/drawn-hours.ts';
import { before } from './before.ts';
import {
  type Figures,
  figuresOf,
  HISTORIES,
  type Outcome,
  outcomesOf,
  SHARES,
  SIZES,
  steadinessOf,
} from './outcomes.ts';

/** `npm run advice-trial -- --histories 100`: what following "could go" brings, beside the method before. */

const help = `npm run advice-trial -- [options]
  --histories N   random histories of each kind and size (default 20)
  --seed N        of the random histories (default 1)
  --days N        days in a row on which there is a pass (default 1)
`;

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** So that no two histories of a trial are the same. */
const SEEDS = 1_000_003;
const KINDS = 10_007;
const SIZES_APART = 101;

const percent = (share: number): string => (Number.isNaN(share) ? '-' : share.toFixed(1)).padStart(7);

function line(name: string, of: Figures, old: readonly number[] | undefined): string {
  const figures = [of.wrong, of.wrongOfAdvised, of.wrongOfSure, of.given].map(percent).join('');
  return `${name.padEnd(44)}${figures}  |${(old ?? []).map(percent).join('')}`;
}

function* linesOf(all: readonly Outcome[], history: number): Generator<string> {
  const outcomes = all.filter((one) => one.history === history);
  yield `\n${history} days of history, %${' '.repeat(25)}  wrong of adv.  sure  given  |  before: wrong, of adv., given`;
  yield line('all', figuresOf(outcomes), before.all);
  if (days > 1) {
    const { median, most, changed } = steadinessOf(outcomes);
    yield `from day to day: the sum ${percent(median)} (nine in ten days: ${percent(most)}), ${percent(changed)} of the numbers`;
  }
  for (const share of SHARES) {
    const found = outcomes.filter((one) => one.kind.gives === true && one.share === share);
    yield line(`those that give licenses, ${share} x the peak`, figuresOf(found), before[`gives ${share}`]);
  }
  for (const kind of kinds) {
    const found = outcomes.filter((one) => one.kind === kind);
    yield line(kind.name, figuresOf(found), before[kind.name]);
  }
}

const days = Number(values.days);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) {
  process.stdout.write(help);
} else {
  const outcomes = kinds.flatMap((kind, k) =>
    SIZES.flatMap((size) =>
      Array.from({ length: Number(values.histories) }, (_, i) =>
        outcomesOf(kind, size, Number(values.seed) * SEEDS + k * KINDS + size * SIZES_APART + i, { days }),
      ).flat(),
    ),
  );
  print('Wrong: following "could go" brings more than 12 days with refusals in the next year.');
  print('Given: licenses of advice that is not wrong, of those that who knows the next year would give back.');
  for (const history of HISTORIES) print([...linesOf(outcomes, history)].join('\n'));
}
