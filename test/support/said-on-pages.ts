import { type Figures, namedAdvice, refusedInText, sum } from './said-figure.ts';

/** What pages say: figures by what they mean. */

const N = String.raw`[\d,]+`;

/** The text of a part of a page. */
const textOf = (markup: string): string =>
  markup
    .replace(/<(script|style|svg)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

const itemsOf = (page: string): readonly string[] =>
  [...page.matchAll(/<li\b[^>]*>(.*?)<\/li>/gs)].map(([, item = '']) => textOf(item));

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text.replaceAll(',', ''));

/** The number before some words; `undefined` without them. */
const before = (text: string, words: string): number | undefined =>
  numberOf(new RegExp(`(${N}) (?:${words})`).exec(text)?.[1]);

/** The same where a text leaves out what is 0. */
const orNone = (text: string, words: string): number => before(text, words) ?? 0;

const names: Readonly<Record<string, string>> = {
  Saturated: 'saturated',
  'Requests wait': 'waiting',
  Expired: 'expired',
  'Expire in 30 days': 'expiring in 30 days',
};

/** What a vendor license has in use, in the words of a page. */
function* useFigures(name: string, text: string): Figures {
  const over = new RegExp(`(${N}) in use of (${N}) licenses? \\((${N}) over\\)`).exec(text);
  const of = over ?? new RegExp(`(${N}) of (${N}) licenses? in use`).exec(text);
  yield [`in use of ${name}`, numberOf(of?.[1])];
  yield [`bought of ${name}`, numberOf(of?.[2])];
  if (over !== null) yield [`over of ${name}`, numberOf(over[3])];
  const isUsageShown = of !== null || text.includes('in use, uncounted');
  if (isUsageShown)
    yield [`uncounted in use of ${name}`, before(text, 'uncounted') ?? before(text, 'in use, uncounted') ?? 0];
}

function* expiryFigures(name: string, text: string): Figures {
  const next = /next expires (\S+)/.exec(text)?.[1];
  const isNever = text.includes('nothing is known to expire');
  yield [`next expiry of ${name}`, next ?? (isNever ? 'none' : undefined)];
}

const stateOf = (text: string): string => /^(down|never collected|outdated|unknown|up)\b/.exec(text)?.[1] ?? text;

function* statusFigures(page: string): Figures {
  const items = itemsOf(page);
  for (const [title, what] of Object.entries(names)) {
    const [, figure = '', about = ''] =
      items.map((item) => new RegExp(`^${title} (not known|${N}) (.*)$`).exec(item)).find((found) => found !== null) ??
      [];
    yield [what, figure === 'not known' ? undefined : numberOf(figure)];
    yield ['features', before(about, 'features?')];
  }
  const servers = items.find((item) => item.startsWith('Servers ')) ?? '';
  if (!/^Servers (?:not known|none)/.test(servers)) yield ['servers down', orNone(servers, 'down')];
  yield ['vendor licenses', before(servers, 'vendor licenses?')];
  const alerts = items.find((item) => /^Alerts (?:not known|\d)/.test(item)) ?? '';
  for (const severity of ['critical', 'warning', 'info']) yield [`alerts, ${severity}`, before(alerts, severity)];
  yield ['alerts, pending', orNone(alerts, 'pending')];
  yield ['kinds of alerts without data', orNone(alerts, 'kinds? without data')];
  const users = items.find((item) => item.startsWith('Users now ')) ?? '';
  yield ['users', before(users, 'hold a license')];
  yield ['sources', /\d+ sources?: [^.]*/.exec(textOf(page))?.[0]];
  yield* vendorLicenseRows(page);
  for (const [, subject = '', age = ''] of textOf(page.split('id="attention"')[0] ?? '').matchAll(
    /(servers|usage|expiries) polled (\S+) ago/g,
  )) {
    yield [`age of ${subject}`, age];
  }
  const polls = { GetProducts: 'servers', GetFeatures: 'usage', GetExpirationFeatures: 'expiries' };
  for (const [endpoint, subject] of Object.entries(polls)) {
    const poll = items.find((item) => item.includes(` ${endpoint} `)) ?? '';
    const age = /last complete (\S+) ago/.exec(poll)?.[1];
    if (age !== undefined) yield [`age of ${subject}`, age];
  }
}

/** The rows of vendor licenses on the first page, and what they add up to. */
function* vendorLicenseRows(page: string): Figures {
  const [, list = ''] = page.split('id="vendor-licenses"');
  const rows = [...(list.split('<h2')[0] ?? '').matchAll(/<li\b[^>]*>(.*?)<\/li>/gs)].map(([, row = '']) => row);
  for (const row of rows) {
    const name = textOf(/<a [^>]*>(.*?)<\/a>/s.exec(row)?.[1] ?? '');
    const [, state = '', use = '', counts = ''] = row.split('</div>').map(textOf);
    yield [`state of ${name}`, stateOf(state)];
    yield* useFigures(name, use);
    yield [`users of ${name}`, before(use, 'users?')];
    yield [`features of ${name}`, before(counts, 'features?')];
    const full = before(counts, 'saturated');
    if (full !== undefined) yield [`saturated of ${name}`, full];
    yield* expiryFigures(name, counts);
  }
  const texts = rows.map(textOf);
  yield ['vendor licenses', rows.length];
  yield ['servers down', sum(texts.map((text) => Number(/ down GetServerDown/.test(text))))];
  // a row leaves out what is 0, and what is not known
  const isKnown = (title: string): boolean =>
    !itemsOf(page).some((item) => item.startsWith(title) && /not known/.test(item));
  if (isKnown('Saturated')) yield ['saturated', sum(texts.map((text) => orNone(text, 'saturated')))];
  if (isKnown('Requests wait')) yield ['waiting', sum(texts.map((text) => orNone(text, 'requests? waits?')))];
  yield ['features', sum(texts.map((text) => orNone(text, 'features? (?:next|nothing|expiry)')))];
}

function* vendorLicenseFigures(page: string): Figures {
  const name = textOf(/<h1>(.*?)<\/h1>/s.exec(page)?.[1] ?? '');
  const items = itemsOf(page.split('id="features"')[0] ?? '');
  const state = items.map(stateOf).find((text) => /^(?:down|never collected|outdated|unknown|up)$/.test(text));
  yield [`state of ${name}`, state];
  yield* useFigures(name, items.find((item) => /in use|usage|no feature|licenses? not known/.test(item)) ?? '');
  const users = items.find((item) => item.endsWith('users now')) ?? '';
  yield [`users of ${name}`, before(users, 'users now')];
  yield* expiryFigures(
    name,
    items.find((item) => /next expires|nothing is known to expire|expiry not known/.test(item)) ?? '',
  );
  const title = textOf(/<h2 id="features">(.*?)<\/h2>/s.exec(page)?.[1] ?? '');
  yield [`features of ${name}`, before(title, 'features?')];
}

function* alertFigures(page: string): Figures {
  const items = itemsOf(page);
  for (const name of ['critical', 'warning', 'info', 'pending']) {
    const count = items
      .map((item) => new RegExp(`^(\\?|${N}) ${name}$`).exec(item)?.[1])
      .find((found) => found !== undefined);
    yield [`alerts, ${name}`, count === '?' ? undefined : numberOf(count)];
  }
  const without = /whether they apply is unknown: ([^.]*)\./.exec(textOf(page))?.[1];
  yield ['kinds of alerts without data', without === undefined ? 0 : without.split(',').length];
}

function* contractFigures(page: string): Figures {
  const items = itemsOf(page);
  yield ['expired', sum(items.map((item) => Number(/^(\d+) features? expired$/.exec(item)?.[1] ?? 0)))];
}

function* adviceFigures(page: string): Figures {
  const items = itemsOf(page);
  const text = textOf(page);
  yield ['features, all versions together', before(text, 'features?, all versions of each together')];
  if (text.includes('is not known of any feature')) return;
  const find = (words: string): number | undefined =>
    items.map((item) => before(item, words)).find((found) => found !== undefined);
  yield ['licenses that could go', find('licenses? of [\\d,]+ features? could go') ?? 0];
  yield ['features that lack licenses', find('features? lacks? licenses')];
  yield ['features that run out', find('features? runs? out')];
  yield ['provisional advice', orNone(text, 'more features? may have licenses to spare')];
  const savings = Array.from(text.matchAll(/([A-Z]{3}) ([\d,]+) a year could be saved/g), ([, currency, amount = '']) =>
    [currency, amount.replaceAll(',', '')].join(' '),
  );
  yield ['saving', savings.length === 0 ? 'none' : savings.join(', ')];
  yield* refusedLines(page);
}

/** On how many days requests were refused, in the lines of features and in their sentences. */
function* refusedLines(page: string): Figures {
  for (const [, line = ''] of page.matchAll(/<li\b[^>]*>(<details>.*?)<\/li>/gs)) {
    const [, feature = '', about = ''] = /<strong>(.*?)<\/strong> <span class="soft">(.*?)<\/span>/s.exec(line) ?? [];
    const [vendorLicense = '', ...others] = about.split(' · ').map(textOf);
    const pkg = others.find((part) => part.startsWith('package '))?.slice('package '.length) ?? '';
    const name = namedAdvice(textOf(feature), vendorLicense, pkg);
    const text = textOf(line);
    yield* refusedInText(name, text);
    const [, days, known] = new RegExp(`refused on (${N}) of (${N}) days?(?! whose)`).exec(text) ?? [];
    if (days === undefined) continue;
    yield [`days refused, ${name}`, numberOf(days)];
    yield [`days with known denials, ${name}`, numberOf(known)];
  }
}

/** The versions of a feature, and who was denied today. */
function* featureFigures(page: string): Figures {
  const feature = textOf(/<h1>(.*?)<\/h1>/s.exec(page)?.[1] ?? '');
  const name = `${feature} of ${textOf(/Feature of (<a .*?<\/a>)/s.exec(page)?.[1] ?? '')}`;
  const [now = ''] = page.split('<h2>Now</h2>')[1]?.split('<h2>') ?? [];
  const inUse = itemsOf(now).map((item) => before(item, `in use|of ${N} in use`));
  yield [`in use of ${name}`, inUse.includes(undefined) ? undefined : sum(inUse.map((count = 0) => count))];
  const denied = /Denied today: (no|[\d,]+) requests? ?\./.exec(textOf(page))?.[1];
  if (denied !== undefined) yield [`denied today, ${name}`, denied === 'no' ? 0 : numberOf(denied)];
  const vendorLicense = textOf(/Feature of (<a .*?<\/a>)/s.exec(page)?.[1] ?? '');
  for (const [, sentence = ''] of page.split('<h2>Right-sizing</h2>')[1]?.matchAll(/<p>(.*?)<\/p>/gs) ?? []) {
    const text = textOf(sentence);
    const pkg = /^Package (.*?): /.exec(text)?.[1] ?? '';
    yield* refusedInText(namedAdvice(feature, vendorLicense, pkg), text);
  }
}

/** By the path of a page. */
export const pageReaders: Readonly<Record<string, (page: string) => Figures>> = {
  '/': statusFigures,
  '/vendor-license': vendorLicenseFigures,
  '/feature': featureFigures,
  '/alerts': alertFigures,
  '/contracts': contractFigures,
  '/rightsizing': adviceFigures,
  '/sources': (page) => [['sources', /\d+ sources?: .*?(?=<)/.exec(page)?.[0]]],
};
