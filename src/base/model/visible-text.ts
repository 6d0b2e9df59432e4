/** Controls, and what changes the direction of the text around it. Names of license files can contain them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text of which a person sees every character, on a page, in a mail and in a calendar: what is invisible is replaced. */
export const visible = (text: string): string => text.replace(INVISIBLE, '\ufffd');
