import { STATUS_CODES } from 'node:http';
import { visible } from '../../base/model/visible-text.ts';

/** What a receiver answers, in words for people: on one line, without what was a secret of the request. */

/** Longest reason, in characters. */
const MAX_REASON = 300;
/** Longest quotation of a body, in characters. */
const MAX_QUOTED = 200;
/** A shorter part of a URL, such as `hooks` or `v2`, is a word: it would be hidden in each sentence. */
const MIN_SECRET = 6;

/** A text on one line, in which every character can be seen, shortened. */
export function oneLine(text: string, limit = MAX_REASON): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line.toWellFormed();
}

/** A part of a URL as it is written and as it was meant. */
function spellingsOf(part: string): readonly string[] {
  try {
    return [part, decodeURIComponent(part)];
  } catch {
    return [part];
  }
}

/** What of a URL can be a secret: each part of its path, and what follows. */
function partsOf({ pathname, search }: URL): readonly string[] {
  const parts = [`${pathname}${search}`, pathname, search, ...`${pathname}${search}`.split(/[/?&=]/)];
  return parts.flatMap(spellingsOf).filter((part) => part.length >= MIN_SECRET);
}

/** The parts of an Authorization header that a receiver could repeat. */
function credentialsOf(header: string): readonly string[] {
  const [, type = '', credentials = ''] = /^(\S+)\s+(.*)$/.exec(header) ?? [];
  if (type !== 'Basic') return [credentials];
  const logon = Buffer.from(credentials, 'base64').toString();
  return [credentials, logon, logon.slice(logon.indexOf(':') + 1)];
}

/** Replaces in a text what is secret in a request: an answer can repeat it. @param authorization the value of its header */
export function hideSecrets(text: string, url: URL, authorization: string | undefined): string {
  const secrets = [...partsOf(url), ...(authorization === undefined ? [] : credentialsOf(authorization))];
  const longestFirst = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return text;
  const pattern = new RegExp(
    longestFirst.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'gi',
  );
  return text.replace(pattern, '<secret>');
}

/** `400 Bad Request`. */
export const statusText = (status: number): string =>
  STATUS_CODES[status] === undefined ? `status ${status}` : `${status} ${STATUS_CODES[status]}`;

/** `400 Bad Request, "invalid_payload"`; without a body `202 Accepted`. */
export function answerText(status: number, body: string): string {
  const quoted = oneLine(body, MAX_QUOTED);
  return quoted === '' ? statusText(status) : `${statusText(status)}, "${quoted}"`;
}
