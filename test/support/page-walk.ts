import { readCsv } from '../../src/program/config/entry-file.ts';
import { targetNames } from '../../src/site/grafana/answers/targets.ts';
import { type TestBrowser, views } from './browser.ts';
import { eventually } from './harness.ts';

/**
 * Everything that a daemon serves, in pieces: each visible text, title and label in the DOM of every page, each cell, line and
 * leaf of the other answers, and what was refused.
 */

/** A piece of text, and where it is: the path, and the elements, names or columns on the way. */
export interface Piece {
  readonly where: string;
  readonly text: string;
}

/** The texts and labels of a page, with the elements that they are in, and its links. */
const WALK = `(() => {
  const pieces = [];
  const placeOf = (element) => {
    const path = [];
    for (let one = element; one && one !== document.body; one = one.parentElement) {
      path.unshift([one.tagName.toLowerCase(), ...one.classList].join('.'));
    }
    return path.join(' > ');
  };
  const add = (element, suffix, text) => {
    const words = text.replace(/\\s+/g, ' ').trim();
    if (words !== '') pieces.push({ where: placeOf(element) + suffix, text: words });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.closest('script, style')) add(node.parentElement, '', node.textContent);
  }
  for (const element of document.querySelectorAll('[title], [aria-label], [placeholder]')) {
    for (const name of ['title', 'aria-label', 'placeholder']) add(element, '@' + name, element.getAttribute(name) ?? '');
  }
  return { pieces, links: [...document.querySelectorAll('a[href]')].map(({ href }) => href) };
})()`;

interface Walked {
  readonly pieces: readonly Piece[];
  readonly links: readonly string[];
}

/** The leaves of a JSON value, by the names on the way. What is empty is a leaf too. */
function leavesOf(value: unknown, where: string): readonly Piece[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? [{ where, text: '[]' }] : value.flatMap((one) => leavesOf(one, where));
  }
  if (typeof value !== 'object' || value === null) return [{ where, text: String(value) }];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, `${where} ${key}`));
}

/** The cells of a table in CSV, by the names of their columns. */
function cellsOf(csv: string, where: string): readonly Piece[] {
  const [header, ...records] = readCsv(csv).rows;
  return records.flatMap(({ cells }) =>
    cells.map((text, column) => ({ where: `${where} ${header?.cells[column]}`, text })),
  );
}

/** The leaves of rows for Grafana, and what is said of them. Their number says nothing of the site. */
function rowPieces(body: string, where: string): readonly Piece[] {
  const { rows, notices = [] } = JSON.parse(body) as { rows?: unknown; notices?: readonly unknown[] };
  if (rows === undefined) return leavesOf(JSON.parse(body), where);
  return [...leavesOf(rows, where), ...(notices.length === 0 ? [] : leavesOf(notices, `${where} notices`))];
}

/** The pieces of an answer that is no page. */
function piecesOf(body: string, type: string, where: string): readonly Piece[] {
  if (where.startsWith('/grafana/rows/')) return rowPieces(body, where);
  if (type.startsWith('application/json')) return leavesOf(JSON.parse(body), where);
  if (type.startsWith('text/csv')) return cellsOf(body, where);
  const unfolded = type.startsWith('text/calendar') ? body.replaceAll(/\r?\n[ \t]/g, '') : body;
  const lines = unfolded.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (type.startsWith('text/calendar')) {
    return lines.map((line) => ({ where: `${where} ${line.split(/[:;]/)[0]}`, text: line }));
  }
  // the figure of a sample is its value
  return lines.map((line) => ({
    where: `${where} ${line.split(/[{ ]/)[0]}`,
    text: line.slice(line.lastIndexOf(' ') + 1),
  }));
}

/** A feature that the targets of one feature are asked for. */
export interface AskedFeature {
  readonly product: string;
  readonly feature: string;
}

/** Reads an answer. @returns the links of a page, as addresses; none of other answers */
type See = (path: string, response: Response) => Promise<readonly string[]>;

/**
 * Asks for everything that a daemon serves: what its first page and all that follows link to, what programs read, and all targets for
 * Grafana.
 */
export async function askForAll(url: string, asked: AskedFeature, see: See): Promise<void> {
  const parameters = new URLSearchParams({ ...asked });
  const rows = targetNames.map((name) => `/grafana/rows/${name}?${parameters}`);
  const queue = ['/', '/api/v1/alerts', '/api/v1/attention', '/api/v1/rules', '/api/v1/rightsizing', ...rows];
  const seen = new Set(queue);
  for (const path of queue) {
    for (const link of await see(path, await fetch(url + path))) {
      const { origin, pathname, search } = new URL(link);
      const next = pathname + search;
      // the runbooks are the same on every site
      if (origin !== url || seen.has(next) || next.startsWith('/runbooks')) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  const to = new Date();
  const range = { from: new Date(to.getTime() - 2 * 86_400_000).toISOString(), to: to.toISOString() };
  for (const target of targetNames) {
    const body = JSON.stringify({ range, targets: [{ refId: 'A', target, payload: asked }] });
    await see(`/grafana/query ${target}`, await fetch(`${url}/grafana/query`, { method: 'POST', body }));
  }
}

/** Whether an answer is a page. */
export const isPage = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/html') === true;

/** Walks through everything that a daemon serves. */
export async function walk(browser: TestBrowser, url: string, asked: AskedFeature): Promise<readonly Piece[]> {
  const found: Piece[] = [];
  await askForAll(url, asked, async (path, response) => {
    // the question is not a part of the place
    const [where = ''] = path.split('?');
    if (!isPage(response)) {
      const type = response.headers.get('content-type') ?? '';
      if (!response.ok) found.push({ where, text: `refused with ${response.status}` });
      found.push(...piecesOf(await response.text(), type, where));
      return [];
    }
    await response.text();
    const { page } = await browser.open(url + path, views.desktop);
    const { pieces, links } = await page.evaluate<Walked>(WALK);
    await page.close();
    found.push(...pieces.map((piece) => ({ ...piece, where: `${where} ${piece.where}` })));
    return links;
  });
  return found;
}

interface Rules {
  readonly data: { readonly groups: readonly { readonly lastEvaluation: string }[] };
}

/** Resolves when a daemon has polled, has advice, and has evaluated its alerts with the advice. */
export async function waitUntilReady(url: string): Promise<void> {
  await eventually('first poll', async () => (await fetch(`${url}/-/ready`)).ok);
  await eventually('advice', async () => (await fetch(`${url}/api/v1/rightsizing`)).ok);
  const since = Date.now();
  await eventually('an evaluation with the advice', async () => {
    const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as Rules;
    return data.groups.every(({ lastEvaluation }) => Date.parse(lastEvaluation) > since);
  });
}
