import type { FreeText } from './free-text.ts';
import type { Role } from './stand-ins.ts';

/** A part of a line of which the reader of the line says what it is. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** `name` is that of a feature or daemon, `server` is `host` or `host/port`. */
  readonly is: Exclude<Role, 'word' | 'domain' | 'feature'> | 'name' | 'version' | 'kept';
}

/** The span of a part that stands after a position. Undefined if it does not. */
export function spanOf(line: string, part: string, is: Span['is'], after = 0): Span | undefined {
  const from = part === '' ? -1 : line.indexOf(part, after);
  return from === -1 ? undefined : { from, to: from + part.length, is };
}

/** A line whose spans are replaced by what they are, and the text between them as any text. */
export function replaceSpans(line: string, spans: readonly Span[], free: FreeText, isUnderstood: boolean): string {
  let result = '';
  let end = 0;
  for (const { from, to, is } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from < end) continue;
    result += free.of(line.slice(end, from), isUnderstood) + replaced(line.slice(from, to), is, free);
    end = to;
  }
  return result + free.of(line.slice(end), isUnderstood);
}

function replaced(text: string, is: Span['is'], free: FreeText): string {
  switch (is) {
    case 'kept':
      return text;
    case 'name':
      return free.name(text);
    case 'version':
      return free.version(text);
    case 'server':
      return free.server(text);
    default:
      return free.who(text, is);
  }
}
