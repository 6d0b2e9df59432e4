import { describe, expect, it } from 'vitest';
import type { PageContext } from '../../../src/site/pages/page.ts';
import { linkOf, type PagePath, pages } from '../../../src/site/pages/table.ts';
import { testSite } from '../../support/served-page.ts';

/** The table says which paths a page has, before its files are read. */

const context = { site: testSite, collecting: {} } as PageContext;

describe.each(Object.entries<PagePath>(pages))('the row of %s', (_, page) => {
  it('has the paths that its routes answer', async () => {
    const { routes } = page;
    if (!('load' in routes)) return expect(page.path).toBe('/grafana');
    expect(Object.keys((await routes.load())(context, linkOf(page)))).toEqual(routes.paths);
  });
});
