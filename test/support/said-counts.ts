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
export const moreQuestions = [...Object.keys(countedQuestions), '/sources/status.json'];

/** What an answer says. The list of alerts that a filter leaves says nothing of all alerts. */
export function saidIn(path: string, body: string): readonly Said[] {
  const [place = ''] = path.split('?');
  if (place === '/alerts' && path !== place) return [];
  const rows = countedQuestions[path];
  const figures = rows === undefined ? (pageReaders[place] ?? answerReaders[place])?.(body) : rows(rowsOf(body));
  return Array.from(figures ?? [], ([what, figure]) => ({ what, figure: `${figure ?? 'unknown'}`, where: path }));
}
