import { hash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linksOf, pagePaths, readPage, root } from '../support/markdown.ts';

/** The pictures that the documentation shows, and what each of them shows. */

const images = 'docs/images';
const list = join(import.meta.dirname, 'pictures.json');

/** The digest of what a picture shows, as it was when the picture was drawn, by the path of the picture below `docs/images`. */
export type Drawn = Readonly<Record<string, string>>;

export const readDrawn = (): Drawn => JSON.parse(readFileSync(list, 'utf8')) as Drawn;

/** The pictures to which the documentation links, by their paths below `docs/images`. */
export function shownPictures(): readonly string[] {
  const targets = pagePaths.flatMap((page) => linksOf(readPage(page)).map((target) => join(dirname(page), target)));
  const shown = targets.flatMap((target) => (target.startsWith(`${images}/`) ? target.slice(images.length + 1) : []));
  return [...new Set(shown)].sort();
}

/** The committed pictures, by the same paths. */
export const keptPictures = (): readonly string[] => globSync('**/*.png', { cwd: join(root, images) }).sort();

/**
 * The files that make what a picture shows: a dashboard, or the folder of a page with the files that pages share. What the figures
 * come from is no part of it.
 *
 * @throws Error if there is no such dashboard or page
 */
export function filesOf(picture: string): readonly string[] {
  const [, dashboard] = /^grafana-(.+)\.png$/.exec(picture) ?? [];
  const [, page] = /^pages\/(.+)-[a-z]+\.png$/.exec(picture) ?? [];
  const own = dashboard === undefined ? `src/site/pages/${page}/*` : `grafana/json/license-${dashboard}.json`;
  const files = globSync(own, { cwd: root });
  if (files.length === 0) throw new Error(`${images}/${picture}: there is no ${own}`);
  const shared = dashboard === undefined ? globSync(['src/site/pages/*.ts', 'src/base/html/*'], { cwd: root }) : [];
  return [...files, ...shared].sort();
}

/** @param read the content of a file */
export function digestOf(picture: string, read = (path: string) => readFileSync(join(root, path), 'utf8')): string {
  return hash(
    'sha256',
    filesOf(picture)
      .map((path) => `${path}\n${read(path)}`)
      .join('\n'),
  ).slice(0, 16);
}

/** The pictures that are older than what they show. */
export const stalePictures = (pictures: readonly string[], drawn: Drawn, digest = digestOf): readonly string[] =>
  pictures.filter((picture) => drawn[picture] !== digest(picture));

/**
 * Replaces the pictures that the documentation shows with those that are drawn, and removes those that it does not show.
 *
 * @param folder of the drawn pictures, by the same paths
 * @returns those that are not drawn, and stay as they are
 */
export function keepPictures(folder: string): readonly string[] {
  const before = readDrawn();
  const shown = shownPictures();
  const isDrawn = (picture: string): boolean => existsSync(join(folder, picture));
  for (const picture of keptPictures()) if (!shown.includes(picture)) rmSync(join(root, images, picture));
  for (const picture of shown.filter(isDrawn)) {
    mkdirSync(join(root, images, dirname(picture)), { recursive: true });
    copyFileSync(join(folder, picture), join(root, images, picture));
  }
  const drawn = shown.map((picture) => [picture, isDrawn(picture) ? digestOf(picture) : before[picture]] as const);
  writeFileSync(list, `${JSON.stringify(Object.fromEntries(drawn), undefined, 2)}\n`);
  return shown.filter((picture) => !isDrawn(picture));
}
