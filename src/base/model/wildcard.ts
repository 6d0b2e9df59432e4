/**
 * Creates a matcher for a text parameter of the Query API. The wildcard matches any sequence of characters; there is no
 * escape (spec section 4). For any pattern, the time is at most proportional to the product of the lengths of pattern and value.
 */
export function createPattern(
  pattern: string,
  { ignoreCase, wildcard = '%' }: { readonly ignoreCase: boolean; readonly wildcard?: string },
): (value: string) => boolean {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const pieces = fold(pattern).split(wildcard);
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
      // the leftmost match is sufficient
      const at = value.indexOf(piece, from);
      if (at === -1 || at + piece.length > end) return false;
      from = at + piece.length;
    }
    return true;
  };
}
