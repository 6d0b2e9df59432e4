import { withDeadline } from '../../../base/model/deadline.ts';
import type { PoolObservation, VendorLicenseObservation } from '../../../base/model/observation/observation.ts';
import { SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { recordFields } from '../../../base/query-api/records.ts';
import type { OnUnread } from '../lines.ts';
import type { ManagerCode, ManagerReader, ReaderDeps, ReadInput } from '../manager.ts';
import type { Parsed } from '../parsed.ts';
import type { SourceSettings } from '../source-settings.ts';
import { notJson, observeAnswers, withUsers } from './observe.ts';
import type { QueryApiOwn } from './own-settings.ts';
import { FEATURES_OF, readAnswers, readUsers } from './records.ts';

/** The answers of a capture. */
const ENDPOINTS = [['GetProducts'], ['GetServerDown'], ['GetFeatures', 'product=%']] as const;
/** Requests about users at once. The client limits all of them. */
const AT_ONCE = 4;
/** Part of the timeout after which requests about users are canceled. */
const FOR_USERS = 0.5;

/** Where an analyzer is, for messages. */
interface Asked {
  readonly url: string;
}

type Settings = SourceSettings & QueryApiOwn;

/** The texts of several answers as one. */
const joined = (answers: ReadonlyMap<string, string>): string =>
  `{${[...answers].map(([endpoint, text]) => `${JSON.stringify(endpoint)}:${text.trim() || 'null'}`).join(',')}}`;

function read({ settings, output, more }: ReadInput<QueryApiOwn, Asked>, onUnread?: OnUnread): Parsed {
  return observeAnswers(output.stdout, { url: more.url, prefix: settings.prefix }, onUnread);
}

/** All vendor licenses (spec 4.2). */
const ALL = 'product=%';

/** @throws SourceFailure if the answer is not JSON */
function productsOf(answer: string, url: string): readonly string[] {
  const answers = joined(new Map([['GetProducts', answer]]));
  try {
    return readAnswers(answers).products.map(({ Product }) => Product);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notJson(answers, url);
  }
}

/** Vendor licenses that only a third part tells apart: records of features do not have it. */
function sharedNames(products: readonly string[]): readonly string[] {
  const byServer = Map.groupBy(products, (name) => name.toLowerCase().split(';').slice(0, 2).join(';'));
  return [...byServer.values()].flatMap((same) => (same.length > 1 ? same : []));
}

/** Failures after which features are requested for each vendor license: some analyzers do not answer for all at once. */
const REFUSALS = new Set<string>(['no_analyzer', 'unparsed', 'too_large']);

/** The features of all vendor licenses, by the name of the answer. */
async function askFeatures(
  products: readonly string[],
  ask: (...args: readonly string[]) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  let apart = products;
  try {
    const all = await ask('GetFeatures', ALL);
    answers.set('GetFeatures', all);
    // not parsed here: it can be megabytes
    if (/"ServerName"\s*:\s*"[^"]|^[\s[\]]*$/.test(all)) apart = sharedNames(products);
    else answers.delete('GetFeatures');
  } catch (error) {
    if (!(error instanceof SourceFailure && REFUSALS.has(error.kind))) throw error;
  }
  for (const product of apart) answers.set(`${FEATURES_OF}${product}`, await ask('GetFeatures', `product=${product}`));
  return answers;
}

/** A feature whose users are asked for, of all its versions: GetUsers does not tell them apart. */
interface Wanted {
  readonly product: string;
  readonly pool: PoolObservation;
  /** The number of the vendor license, and of each of its pools. */
  readonly places: readonly (readonly [vendorLicense: number, pool: number])[];
}

/** Features whose users are not known without a request. */
function wantedIn(vendorLicenses: readonly VendorLicenseObservation[], prefix: string): readonly Wanted[] {
  return vendorLicenses.flatMap(({ record, pools }, at) => {
    const product = record?.Product.slice(prefix.length) ?? '';
    const indexed = pools.map((pool, index) => ({ pool, index }));
    const groups = Map.groupBy(indexed, ({ pool }) => JSON.stringify([pool.feature, pool.package, pool.featureType]));
    return [...groups.values()].flatMap((same): Wanted[] => {
      const [first] = same;
      if (
        first === undefined ||
        product.includes('%') ||
        !same.some(({ pool }) => pool.unknownOfCheckouts?.includes('list'))
      )
        return [];
      const { feature, package: packageName, featureType } = first.pool;
      // % stands for any text, and without a package all packages match
      const isAmbiguous =
        feature.includes('%') ||
        (packageName === '' &&
          pools.some((one) => one.feature === feature && one.featureType === featureType && one.package !== ''));
      const places = same.map(({ index }) => [at, index] as const);
      return isAmbiguous ? [] : [{ product, pool: first.pool, places }];
    });
  });
}

/** Reads another analyzer: its records, then the users of features in use for as long as there is time. */
function createQueryApiReader(
  settings: Settings,
  { transport, host, read: readIn }: ReaderDeps<QueryApiOwn, Asked, Parsed>,
): ManagerReader {
  const { via, prefix, ...others } = settings;
  if (transport === undefined || via === undefined) throw new Error(`the source ${settings.name} has no via`);
  const url = via.kind === 'analyzer' || via.kind === 'http' ? via.url : settings.name;

  /** @returns why users of features are not known; undefined if they are */
  const addUsers = async (
    vendorLicenses: VendorLicenseObservation[],
    signal: AbortSignal,
    stop: AbortSignal,
  ): Promise<SourceProblem | undefined> => {
    const wanted = wantedIn(vendorLicenses, prefix);
    const pools = vendorLicenses.map((one) => [...one.pools]);
    let next = 0;
    let refusal: Error | undefined;
    const work = async (): Promise<void> => {
      while (next < wanted.length && refusal === undefined && !signal.aborted) {
        const { product, pool, places } = wanted[next] as Wanted;
        next += 1;
        const about = [
          'format=sql',
          'sortdatafield=Username',
          `product=${product}`,
          `feature=${pool.feature}`,
          `package=${pool.package}`,
          `type=${pool.featureType}`,
        ];
        try {
          const { stdout } = await transport.read(['GetUsers', ...about], signal);
          for (const [i, [vendorLicense, place]] of places.entries()) {
            const own = pools[vendorLicense] ?? [];
            const known = own[place];
            if (known !== undefined) own[place] = withUsers(known, i === 0 ? readUsers(stdout) : []);
          }
        } catch (error) {
          if (!(error instanceof SourceFailure || error instanceof SyntaxError) || stop.aborted) throw error;
          if (!signal.aborted) refusal = error;
          next -= 1;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (const [at, own] of pools.entries()) {
      const one = vendorLicenses[at];
      if (one !== undefined) vendorLicenses[at] = { ...one, pools: own };
    }
    return usersProblem(url, wanted.length - next, refusal);
  };

  const readAll = async (signal: AbortSignal): Promise<Parsed> => {
    const begun = host.elapsed();
    const ask = async (...args: readonly string[]): Promise<string> => (await transport.read(args, signal)).stdout;
    let output = await transport.read(via.kind === 'analyzer' ? ['GetProducts'] : [], signal);
    if (via.kind === 'analyzer') {
      const answers = new Map([
        ['GetProducts', output.stdout],
        ['GetServerDown', await ask('GetServerDown')],
      ]);
      const features = await askFeatures(productsOf(output.stdout, url), ask);
      output = { ...output, stdout: joined(new Map([...answers, ...features])) };
    }
    const input = { settings: { ...others, prefix }, via: via.kind, now: host.now(), output, more: { url } };
    const parsed = await readIn(input);
    if (via.kind !== 'analyzer') return parsed;
    const vendorLicenses = [...parsed.vendorLicenses];
    const seconds = Math.max(0, settings.timeout * FOR_USERS - (host.elapsed() - begun));
    const problem = await withDeadline({ what: 'GetUsers', seconds, stop: signal }, (untilLate) =>
      addUsers(vendorLicenses, untilLate, signal),
    );
    return { ...parsed, vendorLicenses, problems: [...parsed.problems, ...(problem === undefined ? [] : [problem])] };
  };

  return {
    // each request has the same timeout: all of them together would take longer
    read: (stop) => withDeadline({ what: 'the collection', seconds: settings.timeout, stop }, readAll),
    close: () => transport.close(),
  };
}

/** @param left how many features were not asked about */
function usersProblem(url: string, left: number, refusal: Error | undefined): SourceProblem | undefined {
  if (left === 0) return undefined;
  const why =
    refusal === undefined
      ? 'there was no time for them: set a longer timeout and interval'
      : `GetUsers failed: ${refusal.message}`;
  return { kind: 'timeout', message: `the users of ${left} features of ${url} are not known, ${why}`, isMinor: true };
}

const fieldNames = [...new Set(Object.values(recordFields).flatMap((fields) => Object.keys(fields)))];

/** What reads another analyzer. */
export const queryApiCode: ManagerCode<QueryApiOwn, Asked, Parsed> = {
  texts: {
    answers: {
      title: 'the answers of the analyzer',
      places: ({ via }) =>
        via?.kind === 'analyzer' ? ENDPOINTS.map((args, at) => ({ of: `answer ${at + 1}`, args })) : [{ args: [] }],
      recognize: (text) => {
        const isWhole = /^\s*\{\s*"GetProducts"/.test(text);
        return isWhole ? { servers: [], at: undefined, isSure: true } : undefined;
      },
      shapes: [
        String.raw`"(?:GetProducts|GetServerDown|GetFeatures|Label|${fieldNames.join('|')})"\s{0,9}:(?:\s{0,9}(?:-?\d[\d.eE+-]{0,30}|NaN|true|false|null)(?=[,\s}\]]))?`,
        '"(?:feature|package|component|floating|node-locked|uncounted|concurrent|token|named|ServerDown|Warning|Expired)"',
        String.raw`\\?/Date\(-?\d{1,15}\)\\?/`,
      ],
      normalized: (text) => text,
    },
  },
  read,
  createReader: createQueryApiReader,
  replay: ({ settings, via, now, texts }) => {
    const answers = texts('answers');
    const [first] = answers;
    if (first === undefined) return { readings: [], remarks: [] };
    const parts = new Map(
      answers.map(({ of = '', output }) => [ENDPOINTS[Number(of.at(-1)) - 1]?.[0] ?? of, output.stdout]),
    );
    const stdout = parts.has('GetProducts') ? joined(parts) : first.output.stdout;
    const input = { settings, via, now, output: { ...first.output, stdout }, more: { url: 'the analyzer' } };
    return { readings: [() => read(input, first.onUnread)], remarks: [] };
  },
  vocabulary: { words: 'data totalCount', names: [] },
};
