/**
 * A matcher for a text parameter of the Query API: `%` stands for any run of characters, there is no escape (spec section
 * 4). Takes time proportional to the lengths of pattern and value at most multiplied, whatever the pattern.
 */
export function createPattern(pattern: string, { ignoreCase }: { ignoreCase: boolean }): (value: string) => boolean {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const pieces = fold(pattern).split('%');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return (value) => fold(value) === first;
  const last = pieces.at(-1) ?? '';
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  return (raw) => {
    const value = fold(raw);
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
    const end = value.length - last.length;
    let from = first.length;
    for (const piece of middle) {
      // the leftmost place is always as good as any later one
      const at = value.indexOf(piece, from);
      if (at === -1 || at + piece.length > end) return false;
      from = at + piece.length;
    }
    return true;
  };
}
