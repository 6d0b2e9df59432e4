import { OperatorError } from '../../base/model/operator-error.ts';
import { canonical, parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { Series } from '../history/sample.ts';

/** What is known of names before an import. */
export interface NamesOptions {
  /** The series that the history has. */
  readonly known: readonly Series[];
  /** The server of every daemon in the logs, as the operator says. */
  readonly server: string | undefined;
  /** The servers of the configured sources. */
  readonly servers: readonly string[];
}

const REMEDY = 'pass it with --server, as in the vendor license `server;daemon`';

/** Gives daemons and features of logs the names that the history has for them. */
export class Names {
  readonly #options: NamesOptions;
  readonly #vendorLicenses = new Map<string, string>();
  readonly #series = new Map<string, Series>();

  constructor(options: NamesOptions) {
    this.#options = options;
    for (const series of options.known) {
      const key = this.#keyOf(series.vendorLicense, series.feature);
      // one without a package is the feature itself
      if (!this.#series.has(key) || series.package === '') this.#series.set(key, series);
    }
  }

  /** @throws OperatorError if it cannot be told which server a daemon is on */
  seriesOf(daemon: string, feature: string): Series {
    const vendorLicense = this.#vendorLicenses.get(daemon) ?? this.#vendorLicenseOf(daemon);
    this.#vendorLicenses.set(daemon, vendorLicense);
    const key = this.#keyOf(vendorLicense, feature);
    const known = this.#series.get(key) ?? { vendorLicense, feature, package: '', featureType: 'feature' };
    this.#series.set(key, known);
    return known;
  }

  /** A series by the names of metrics, which do not have all parts of the name of a vendor license. */
  ownSeries(series: Series): Series {
    const isSame = (known: Series): boolean =>
      canonical(known.vendorLicense) === canonical(series.vendorLicense) &&
      known.feature === series.feature &&
      known.package === series.package &&
      known.featureType === series.featureType;
    return this.#options.known.find(isSame) ?? series;
  }

  /** Whether the history lists a feature, or nothing of its vendor license. @throws OperatorError as above */
  isListed(daemon: string, feature: string): boolean {
    const { vendorLicense } = this.seriesOf(daemon, feature);
    const own = this.#options.known.filter((series) => series.vendorLicense === vendorLicense);
    return own.length === 0 || own.some((series) => series.feature.toLowerCase() === feature.toLowerCase());
  }

  /** A log can spell a feature in other letters. */
  #keyOf(vendorLicense: string, feature: string): string {
    return JSON.stringify([vendorLicense, feature.toLowerCase()]);
  }

  #vendorLicenseOf(daemon: string): string {
    const { known, server, servers } = this.#options;
    const all = new Set(known.map(({ vendorLicense }) => vendorLicense));
    const same = [...all].filter((name) => parseVendorLicense(name).daemon.toLowerCase() === daemon.toLowerCase());
    if (server !== undefined) {
      const own = same.find((name) => parseVendorLicense(name).server.toLowerCase() === server.toLowerCase());
      return own ?? `${server.toLowerCase()};${daemon}`;
    }
    const [first, ...others] = same;
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined) {
      throw new OperatorError(`the daemon ${daemon} is on several servers: ${same.join(', ')}; ${REMEDY}`);
    }
    const [only, ...more] = servers;
    if (only !== undefined && more.length === 0) return `${only.toLowerCase()};${daemon}`;
    throw new OperatorError(
      `the history has no vendor license of the daemon ${daemon}, so that its server is not known; ${REMEDY}`,
    );
  }
}
