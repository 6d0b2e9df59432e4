import { readFileSync } from 'node:fs';

/** Where the repository has the runbooks: for rules that are made without a configuration. A fork has its own address in package.json. */
export function publishedRunbooks(): string {
  const file = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  const { repository } = JSON.parse(file) as { readonly repository: { readonly url: string } };
  return `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/deploy/runbooks.md`;
}
