import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { pages } from '../../src/site/pages/table.ts';
import { dashboards } from '../support/dashboards.ts';
import { root } from '../support/markdown.ts';
import { busyZone, pagePathsOf } from './served-pages.ts';
import { digestOf, filesOf, keptPictures, readDrawn, shownPictures, stalePictures } from './shown-pictures.ts';

const feature = 'pages/feature-desktop.png';
const overview = 'grafana-overview.png';

const readChanged =
  (changed: string) =>
  (path: string): string =>
    path === changed ? 'changed' : readFileSync(join(root, path), 'utf8');

const withChange = (changed: string) => (picture: string) => digestOf(picture, readChanged(changed));

describe('pictures', () => {
  it('are shown by a page of the documentation, and in the list of what they show', () => {
    expect(keptPictures().length).toBeGreaterThan(7);
    expect(keptPictures()).toEqual(shownPictures());
    expect(Object.keys(readDrawn()).sort()).toEqual(shownPictures());
  });

  it('are drawn of every page for people', () => {
    const listed = Object.values(pages).flatMap(({ menu, path }) => (menu === undefined ? [] : path));
    const drawn = Object.values(pagePathsOf).map((path) => path.replace(/\?.*/, ''));
    expect(drawn.sort()).toEqual([...listed, pages.vendorLicense.path, pages.feature.path].sort());
  });

  it('are of pages and dashboards that there are', () => {
    for (const page of Object.keys(pagePathsOf))
      expect(filesOf(`pages/${page}-phone.png`)).toContain(`src/site/pages/${page}/route.ts`);
    for (const { uid } of dashboards)
      expect(filesOf(`grafana-${uid.replace('license-', '')}.png`)).toEqual([`grafana/json/${uid}.json`]);
    expect(() => filesOf('pages/gone-desktop.png')).toThrow(
      'docs/images/pages/gone-desktop.png: there is no src/site/pages/gone/*',
    );
  });

  it.each([
    ['of the same page', 'src/site/pages/feature/data.ts', [feature]],
    ['of all pages', 'src/base/html/style.css', [feature, 'pages/status-desktop.png']],
    ['of all pages', 'src/site/pages/wording.ts', [feature, 'pages/status-desktop.png']],
    ['of the same dashboard', 'grafana/json/license-overview.json', [overview]],
    ['of nothing', 'src/exporter/poll/poller.ts', []],
  ])('are stale after a change %s: %s', (_, changed, stale) => {
    const pictures = [feature, 'pages/status-desktop.png', overview, 'grafana-exporter.png'];
    const drawn = Object.fromEntries(pictures.map((picture) => [picture, digestOf(picture)]));
    expect(stalePictures(pictures, drawn)).toEqual([]);
    expect(stalePictures(pictures, drawn, withChange(changed))).toEqual(stale);
  });

  it('are stale if they were never drawn by the command', () => {
    expect(stalePictures([feature], {})).toEqual([feature]);
  });

  it('are drawn in a zone in which it is the busy hour of the demo', () => {
    for (let hour = 0; hour < 24; hour++) {
      const at = Date.UTC(2026, 10, 30, hour, 30);
      const ahead = createLocalTime(busyZone(new Date(at))).offsetAt(at / 1000);
      expect(new Date(at + ahead * 1000).getUTCHours()).toBe(10);
    }
  });
});
