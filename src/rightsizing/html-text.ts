/** Controls, and what changes the direction of the text around it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text as HTML. It contains names of license files, which can contain anything. */
export const escaped = (text: string): string =>
  text.replace(INVISIBLE, '\ufffd').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A name, whose direction does not change the text around it. */
export const nameHtml = (text: string): string => `<bdi>${escaped(text)}</bdi>`;
