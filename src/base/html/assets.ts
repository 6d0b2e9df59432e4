import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What pages load: files of the package, read once. */

/** A file that pages load, with the Content-Type that it is served with. */
export interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** Its relative URL. It differs for other content, so that browsers can keep it. */
  readonly url: string;
}

function read(name: string, type: string): Asset {
  const content = readFileSync(new URL(name, import.meta.url));
  return { type, content, url: `${name}?v=${hash('sha256', content).slice(0, 12)}` };
}

/** The files that pages load. They are read once, when the program starts. */
export const assets = {
  'style.css': read('style.css', 'text/css; charset=utf-8'),
  'refresh.js': read('refresh.js', 'text/javascript; charset=utf-8'),
  'favicon.svg': read('favicon.svg', 'image/svg+xml'),
} as const;
