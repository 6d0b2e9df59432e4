/** The charset that a `Content-Type` declares, if it is not UTF-8 or ASCII. */
function declaredIn(contentType: unknown): string | undefined {
  const [, label = ''] = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(String(contentType ?? '')) ?? [];
  return label === '' || /^(?:utf-?8|us-ascii|ascii)$/i.test(label) ? undefined : label;
}

/**
 * Turns the chunks of a body into UTF-8. Without a declared charset, or with one that nobody knows, they stay as they are.
 *
 * @param contentType the header
 * @returns undefined if there is nothing to turn; otherwise gets each chunk, and `undefined` at the end of the body
 */
export function toUtf8(contentType: unknown): ((chunk: Buffer | undefined) => Buffer) | undefined {
  const label = declaredIn(contentType);
  if (label === undefined) return undefined;
  try {
    const decoder = new TextDecoder(label);
    return (chunk) => Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }));
  } catch {
    return undefined;
  }
}
