import type { CountedSite } from './counted-sites.ts';
import { askForAll, isPage } from './page-walk.ts';
import { answerReaders, countedQuestions, rowsOf } from './said-in-answers.ts';
import { pageReaders } from './said-on-pages.ts';

/**
 * Figures that pages, answers and metrics say, by what they mean. Where two say the same thing, they must say the same figure; what
 * is not known is `unknown` in all of them.
 */

/** A figure, what it is of, and where it is said. */
export interface Said {
  readonly what: string;
  readonly figure: string;
  readonly where: string;
}

/** What is asked for beside what pages link to. */
const moreQuestions = [...Object.keys(countedQuestions), '/sources/status.json'];

/** What an answer says. The list of alerts that a filter leaves says nothing of all alerts. */
function saidIn(path: string, body: string): readonly Said[] {
  const [place = ''] = path.split('?');
  if (place === '/alerts' && path !== place) return [];
  const rows = countedQuestions[path];
  const figures = rows === undefined ? (pageReaders[place] ?? answerReaders[place])?.(body) : rows(rowsOf(body));
  return Array.from(figures ?? [], ([what, figure]) => ({ what, figure: `${figure ?? 'unknown'}`, where: path }));
}

/** Everything that the pages, answers and metrics of a site say. */
export async function saidBy({ url, product, feature }: CountedSite): Promise<readonly Said[]> {
  const said: Said[] = [];
  const see = async (path: string, response: Response): Promise<readonly string[]> => {
    const body = await response.text();
    if (response.ok) said.push(...saidIn(path, body));
    if (!isPage(response)) return [];
    const links = body.matchAll(/href="([^"]*)"/g);
    return Array.from(links, ([, link = '']) => new URL(link.replaceAll('&amp;', '&'), url + path).href);
  };
  await askForAll(url, { product, feature }, see);
  for (const path of moreQuestions) await see(path, await fetch(url + path));
  return said;
}

/**
 * By how much figures of one kind may differ: time passes between two answers, and bars of a year leave out the hours of today.
 */
const tolerances: Readonly<Record<string, (figure: number) => number>> = {
  'license-hours': (hours) => Math.max(1, hours / 100),
  'days left': () => 0.05,
  'days since the first expiry': () => 0.05,
  'share in row': () => 1e-9,
  share: () => 1e-9,
};

/** Whether figures of the same thing are the same. */
function areSame(what: string, figures: ReadonlySet<string>): boolean {
  if (figures.size === 1) return true;
  const [, tolerance] = Object.entries(tolerances).find(([kind]) => what.startsWith(`${kind} `)) ?? [];
  const numbers = [...figures].map(Number);
  if (tolerance === undefined || numbers.some(Number.isNaN)) return false;
  const most = Math.max(...numbers);
  return most - Math.min(...numbers) <= tolerance(most);
}

/** What is said in two ways: by what it is of, each figure and where it is said. */
export function contradictionsOf(said: readonly Said[]): Readonly<Record<string, readonly string[]>> {
  const byMeaning = Map.groupBy(said, ({ what }) => what);
  const contradictions = [...byMeaning].filter(
    ([what, all]) => !areSame(what, new Set(all.map(({ figure }) => figure))),
  );
  return Object.fromEntries(
    contradictions.map(([what, all]) => [what, [...new Set(all.map(({ figure, where }) => `${figure}: ${where}`))]]),
  );
}
