import { type FreeText, masked } from './free-text.ts';
import type { StatementWord } from './statement-words.ts';
import { isToolWord } from './vocabulary.ts';

/** What a capture has of the words of a license file: signatures, keys, hosts and texts for people are removed. */

const DATE = /^(?:\d{1,2}-[a-z]{3}-\d{1,4}|permanent.{0,30})$/i;
const COUNT = /^(?:\d{1,9}|uncounted)$/i;
const NUMBER = /^\d{1,9}$/;
const PORT = /^(?:TCP:)?\d{1,5}$/i;
const ANYWHERE = /^(?:ANY|DEMO|this_host)$/i;

const keptIf = (word: string, form: RegExp): string => (form.test(word) ? word : masked(word));

/** The values of keys that stay. All others are masked. */
const values: Readonly<Record<string, RegExp>> = {
  HOSTID: ANYWHERE,
  START: DATE,
  ISSUED: DATE,
  SORT: NUMBER,
  BORROW: NUMBER,
  LINGER: NUMBER,
  OVERDRAFT: NUMBER,
  PORT,
  HEARTBEAT_INTERVAL: NUMBER,
  OPTIONS: /^SUITE(?:_RESERVED)?$/i,
  DUP_GROUP: /^(?:NONE|SITE|[UHDV]{1,4})$/i,
};

/** `feature[:version[:count]]` */
function component(word: string, free: FreeText): string {
  const [name = '', ...others] = word.split(':');
  return [free.name(name), ...others.map((other) => free.version(other))].join(':');
}

/** Which word of a statement is what. The words after them are keys. */
function kindsOf(keyword: string): readonly string[] {
  if (keyword === 'UPGRADE') return ['keyword', 'name', 'name', 'version', 'version', 'expiry', 'count'];
  if (keyword === 'FEATURE' || keyword === 'INCREMENT')
    return ['keyword', 'name', 'name', 'version', 'expiry', 'count'];
  if (keyword === 'PACKAGE') return ['keyword', 'name', 'name', 'version'];
  if (keyword === 'SERVER') return ['keyword', 'server', 'hostid', 'port'];
  return keyword === 'VENDOR' || keyword === 'DAEMON' ? ['keyword', 'name'] : [];
}

export function licenseWord({ word, key, keyword, at }: StatementWord, free: FreeText): string {
  if (key === '') return isToolWord(word) ? word : masked(word);
  if (key === 'COMPONENTS' || key === 'SUPERSEDE') return component(word, free);
  if (key !== undefined) return keptIf(word, values[key] ?? /^$/);
  const kinds = kindsOf(keyword);
  switch (kinds[at]) {
    case 'keyword':
      return word;
    case 'name':
      return free.name(word);
    case 'version':
      return isToolWord(word) ? word : free.version(word);
    case 'server':
      return ANYWHERE.test(word) ? word : free.server(word);
    case 'hostid':
      return keptIf(word, ANYWHERE);
    case 'expiry':
      return keptIf(word, DATE);
    case 'count':
      return keptIf(word, COUNT);
    case 'port':
      return keptIf(word, PORT);
    default:
      // a key of its own, a license key of an old file, or the path of a daemon
      return kinds.length > 0 && keyword !== 'VENDOR' && keyword !== 'DAEMON' && !isToolWord(word)
        ? masked(word)
        : free.of(word, false);
  }
}
