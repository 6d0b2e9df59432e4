import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What README promises of the demo, and how the status page shows it. */
const promises: readonly (readonly [words: string, shown: RegExp])[] = [
  ['ten simulated license servers', /\bof 10 vendor licenses\b/],
  ['of which one is down', /\bServers 1 down\b/],
  ['a feature whose licenses are all in use', /\bSaturated [1-9]/],
  ['a license that expires soon', /\bExpire in 30 days [1-9]/],
];

/**
 * The promises of README that the status page does not keep, or that README does not make any more.
 *
 * @param html the page at `/` of a demo
 */
export function brokenPromises(html: string): readonly string[] {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8').replace(/\s+/g, ' ');
  const text = html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  return promises.flatMap(([words, shown]) => (readme.includes(words) && shown.test(text) ? [] : words));
}
