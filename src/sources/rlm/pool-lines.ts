import { type Expiry, expiryOf, type SourceTime } from '../times.ts';
import type { RlmPool } from './report.ts';

/** The lines below `… license pool status on …`: a head for each pool, then its figures. */

/** `nuke_i v2024.0331, pool: 3`; versions before 12.4 print no number of the pool. */
const HEAD = /^\s*([^\s,:]+)\s+v([^\s,:]+)(?:,\s*pool:\s*(\d{1,9}))?$/;

/** The figures that are read. Others are known to be noise if they stand beside one of these. */
const FIGURES = new Set(['count', '# reservations', 'inuse', 'exp', 'obsolete', 'min_remove', 'total checkouts']);

const UNLIMITED = /^(unlimited|uncounted)$/i;

/** A pool while its lines are read. */
export class PoolUnderway implements RlmPool {
  readonly product: string;
  readonly version: string;
  count: number | undefined;
  reserved: number | undefined;
  inUse: number | undefined;
  expires: Expiry = 'unknown';
  isTokenBased = false;

  constructor(product: string, version: string) {
    this.product = product;
    this.version = version;
  }

  /** Whether the line is one of this pool. */
  add(line: string, localTime: SourceTime): boolean {
    // (F: RLM 12.4) the whole line below the head of such a pool
    if (/^\s*token-based license/i.test(line)) {
      this.isTokenBased = true;
      return true;
    }
    const figures = figuresOf(line);
    if (![...figures.keys()].some((name) => FIGURES.has(name))) return false;
    for (const [name, value] of figures) this.#set(name, value, localTime);
    return true;
  }

  #set(name: string, value: string, localTime: SourceTime): void {
    if (name === 'count') this.count = countOf(value);
    else if (name === '# reservations') this.reserved = numberOf(value);
    else if (name === 'inuse') this.inUse = numberOf(value);
    else if (name === 'exp') this.expires = expiryOf(value, localTime);
  }
}

/** The pool that a line begins, undefined for another line. */
export function poolHeadOf(line: string): PoolUnderway | undefined {
  const [, product, version] = HEAD.exec(line) ?? [];
  return product === undefined || version === undefined ? undefined : new PoolUnderway(product, version);
}

/** `count: 22, # reservations: 0, inuse: 3, exp: 1-jul-2024`, or `UNCOUNTED, inuse: 1`. */
function figuresOf(line: string): Map<string, string> {
  const figures = new Map<string, string>();
  for (const part of line.split(',')) {
    const colon = part.indexOf(':');
    if (UNLIMITED.test(part.trim())) figures.set('count', part.trim());
    else if (colon !== -1) figures.set(part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1).trim());
  }
  return figures;
}

const numberOf = (written: string): number | undefined => (/^\d{1,9}$/.test(written) ? Number(written) : undefined);

/**
 * A count of 0 is not known: RLM writes 0 for uncounted licenses in license files, and a pool whose licenses were all
 * removed would have it too.
 */
function countOf(written: string): number | undefined {
  if (UNLIMITED.test(written)) return Number.POSITIVE_INFINITY;
  return numberOf(written) || undefined;
}
