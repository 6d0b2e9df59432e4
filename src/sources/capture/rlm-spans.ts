import { poolHeadOf } from '../rlm/pool-lines.ts';
import { isBanner, sectionOf, tableRowOf } from '../rlm/server-lines.ts';
import { TextCopies } from '../rlm/text-copies.ts';
import { usageOf } from '../rlm/usage-line.ts';
import { type Span, spanOf } from './line-spans.ts';

/** Where names stand in the lines of `rlmstat`, by the readers of these lines. */

const present = (spans: readonly (Span | undefined)[]): Span[] => spans.filter((span) => span !== undefined);

/** @param isUnderstood whether the parser understands the line. Otherwise only users are found. */
export function rlmSpans(line: string, isUnderstood: boolean): readonly Span[] {
  const copies = new TextCopies();
  const usage = usageOf(line, copies);
  if (usage !== undefined) {
    const product = spanOf(line, usage.product, 'name');
    const version = spanOf(line, `v${usage.version}`, 'version', product?.to);
    const user = spanOf(line, usage.user, 'user', (version?.to ?? 0) + 1);
    const host = spanOf(line, usage.host, 'host', line.indexOf('@', user?.to) + 1);
    // outside of a list of users, the first word can be anything
    return present([isUnderstood ? product : undefined, version, user, host]);
  }
  if (!isUnderstood) return [];
  const head = poolHeadOf(line, copies);
  // `rlmutil v15.1` looks like one
  if (head !== undefined && !isBanner(line)) {
    const product = spanOf(line, head.product, 'name');
    return present([product, spanOf(line, `v${head.version}`, 'version', product?.to)]);
  }
  const isv = sectionOf(line)?.isv ?? tableRowOf(line)?.name ?? '';
  const [, before = '', host = ''] = /^(.{0,200}\bstatus on )([^\s(),]+)\s*\(port/.exec(line) ?? [];
  return present([spanOf(line, isv, 'name'), spanOf(line, host, 'server', before.length)]);
}
