import { type FreeText, masked } from './free-text.ts';
import type { Role } from './stand-ins.ts';
import type { StatementWord } from './statement-words.ts';

/** What a capture has of the words of an options file: features and numbers, but no users, hosts and groups. */

/** The words after the keyword. */
const layouts: Readonly<Record<string, readonly string[]>> = {
  RESERVE: ['count', 'feature', 'type', 'name'],
  MAX: ['count', 'feature', 'type', 'name'],
  INCLUDE: ['feature', 'type', 'name'],
  EXCLUDE: ['feature', 'type', 'name'],
  INCLUDE_BORROW: ['feature', 'type', 'name'],
  EXCLUDE_BORROW: ['feature', 'type', 'name'],
  INCLUDE_ENTITLEMENT: ['feature', 'type', 'name'],
  EXCLUDE_ENTITLEMENT: ['feature', 'type', 'name'],
  INCLUDEALL: ['type', 'name'],
  EXCLUDEALL: ['type', 'name'],
  INCLUDEALL_ENTITLEMENT: ['type', 'name'],
  EXCLUDEALL_ENTITLEMENT: ['type', 'name'],
  LINGER: ['feature', 'count'],
  TIMEOUT: ['feature', 'count'],
  TIMEOUTALL: ['count'],
  MAX_OVERDRAFT: ['feature', 'count'],
  MAX_BORROW_HOURS: ['feature', 'count'],
  BORROW_LOWWATER: ['feature', 'count'],
  GROUP: ['group', 'user'],
  HOST_GROUP: ['group', 'host'],
};
const TYPE = /^(?:USER|HOST|DISPLAY|INTERNET|PROJECT|GROUP|HOST_GROUP)$/i;

/** What a word is; the last kind of a layout is that of all words after it. */
function optionsKind({ keyword, at }: Pick<StatementWord, 'keyword' | 'at'>): string | undefined {
  if (at === 0) return 'keyword';
  const layout = layouts[keyword];
  return layout?.[at - 1] ?? layout?.at(-1);
}

/** The role of a name, undefined for another word. */
export function optionsRole(word: StatementWord): Role | undefined {
  const kind = optionsKind(word);
  if (kind === 'name') return 'group';
  return kind === 'group' || kind === 'user' || kind === 'host' ? kind : undefined;
}

/** `f1:VERSION=2.0`, or a word of `"f1 VERSION=2.0"`. */
function feature(word: string, free: FreeText): string {
  const [, name = '', key = '', value = ''] = /^(.*?)((?:^|:)[A-Z_]+=)(.*)$/i.exec(word) ?? [];
  if (key === '') return free.name(word);
  return (name === '' ? '' : free.name(name)) + key + (/VERSION=/i.test(key) ? free.version(value) : masked(value));
}

export function optionsWord(word: StatementWord, free: FreeText): string {
  const { word: text, key } = word;
  const role = optionsRole(word);
  if (role !== undefined && key !== '') return free.who(text, role);
  switch (optionsKind(word)) {
    case 'keyword':
      return free.of(text, false);
    case 'count':
      return /^\d{1,9}$/.test(text) ? text : masked(text);
    case 'type':
      return TYPE.test(text) ? text : free.of(text, false);
    case 'feature':
      // the value of a key that is part of the feature
      if (key === '') return feature(`${text}=`, free).slice(0, -1);
      if (key === undefined) return feature(text, free);
      return key.endsWith('VERSION') ? free.version(text) : masked(text);
    default:
      return free.of(text, false);
  }
}
