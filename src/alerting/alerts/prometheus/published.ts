import { readFileSync } from 'node:fs';

/** Where the repository has a page of the documentation. A fork has its own address in package.json. @param path from the root */
export function publishedPage(path: string): string {
  const file = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  const { repository } = JSON.parse(file) as { readonly repository: { readonly url: string } };
  return `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/${path}`;
}

/** The same of the runbooks: for rules that are made without a configuration. */
export const publishedRunbooks = (): string => publishedPage('deploy/runbooks.md');
