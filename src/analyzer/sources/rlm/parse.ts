import { DiagnosticsCount, linesOf, MAX_LINE, type OnUnread } from '../lines.ts';
import type { SourceTime } from '../times.ts';
import type { RlmError, RlmIsv, RlmMaster, RlmReport, RlmUsage } from './report.ts';
import {
  errorOf,
  isBanner,
  isNoise,
  isRule,
  isTableHead,
  masterOf,
  type PoolUnderway,
  poolHeadOf,
  type SectionHead,
  type SectionKind,
  type Statistics,
  sectionOf,
  statisticsOf,
  tableRowOf,
  usageOf,
} from './rlmstat-lines.ts';

/** What the text of rlmstat depends on beside itself. */
export interface RlmTextContext {
  /** The zone in which the output has its times. */
  readonly localTime: SourceTime;
  /** Called for each line that is not understood. */
  readonly onUnread?: OnUnread | undefined;
}

/**
 * Reads the output of `rlmutil rlmstat -a`, of any version, or of a narrower question (`-i`, `-l`). It never fails: a text
 * of another tool gives a report without data.
 */
export function parseRlmstat(text: string, { localTime, onUnread }: RlmTextContext): RlmReport {
  const reading = new Reading(localTime, onUnread);
  for (const line of linesOf(text)) {
    reading.add(line);
  }
  return reading.report(text.endsWith('\n'));
}

interface IsvUnderway extends RlmIsv {
  isRunning: boolean | undefined;
  pools: PoolUnderway[];
  usage: RlmUsage[];
  server: string | undefined;
}

/** The state between two lines. */
class Reading {
  readonly #localTime: SourceTime;
  readonly #diagnostics: DiagnosticsCount;
  readonly #masters: RlmMaster[] = [];
  readonly #errors: RlmError[] = [];
  #isvs = new Map<string, IsvUnderway>();
  #statistics: Statistics[] = [];
  #hasText = false;
  #isLastUnparsed = false;
  #section: { readonly kind: SectionKind; readonly isv: IsvUnderway } | undefined;
  #pool: PoolUnderway | undefined;
  #isInTable = false;
  /** Below a message of an error, where its details are. */
  #isInError = false;

  constructor(localTime: SourceTime, onUnread: OnUnread | undefined) {
    this.#localTime = localTime;
    this.#diagnostics = new DiagnosticsCount(onUnread);
  }

  add(line: string): void {
    this.#diagnostics.startLine();
    if (line === '') return;
    this.#hasText = true;
    const isKnown =
      line.length <= MAX_LINE &&
      (this.#addUsage(line) || this.#addHead(line) || this.#addPoolLine(line) || this.#addOther(line));
    this.#isLastUnparsed = !isKnown;
    if (!isKnown) this.#diagnostics.addUnparsed(line);
  }

  /** @param isWhole whether the last line has its end */
  report(isWhole: boolean): RlmReport {
    const ends = this.#statistics.filter(({ end }) => end !== undefined);
    return {
      masters: this.#masters,
      isvs: [...this.#isvs.values()],
      errors: this.#errors,
      referenceTime: (ends.find(({ isRecent }) => isRecent) ?? ends[0])?.end,
      hasText: this.#hasText,
      isCut: !isWhole && this.#isLastUnparsed,
      diagnostics: this.#diagnostics,
    };
  }

  /** Lines that begin another section. */
  #addHead(line: string): boolean {
    const master = masterOf(line);
    if (master !== undefined) return this.#startOutput(master);
    const section = sectionOf(line);
    if (section !== undefined) return this.#startSection(section, this.#isv(section.isv));
    const isTable = isTableHead(line);
    if (!isTable && !isRule(line) && !isBanner(line)) return false;
    this.#leave();
    this.#isInTable = isTable;
    return true;
  }

  #leave(): void {
    this.#section = undefined;
    this.#pool = undefined;
    this.#isInTable = false;
    this.#isInError = false;
  }

  /** A file can have several outputs of the same server, one after the other: the last one counts. */
  #startOutput(master: RlmMaster): boolean {
    const isSame = ({ host, port }: RlmMaster): boolean => host === master.host && port === master.port;
    if (this.#masters.some(isSame)) {
      this.#isvs = new Map();
      this.#statistics = [];
    } else this.#masters.push(master);
    this.#leave();
    return true;
  }

  /** A section that is printed again replaces the earlier one. */
  #startSection({ kind, server }: SectionHead, isv: IsvUnderway): boolean {
    if (kind === 'pools') isv.pools = [];
    if (kind === 'usage') {
      isv.usage = [];
      isv.server = server;
    }
    this.#leave();
    this.#section = { kind, isv };
    return true;
  }

  #isv(name: string): IsvUnderway {
    const isv = this.#isvs.get(name) ?? { name, isRunning: undefined, pools: [], usage: [], server: undefined };
    this.#isvs.set(isv.name, isv);
    return isv;
  }

  /** It is tried before the heads of sections, because most lines are such. */
  #addUsage(line: string): boolean {
    if (this.#section?.kind !== 'usage') return false;
    const usage = usageOf(line);
    if (usage !== undefined) this.#section.isv.usage.push(usage);
    return usage !== undefined;
  }

  #addPoolLine(line: string): boolean {
    if (this.#section?.kind !== 'pools') return false;
    const head = poolHeadOf(line);
    if (head === undefined) return this.#pool?.add(line, this.#localTime) ?? false;
    this.#section.isv.pools.push(head);
    this.#pool = head;
    return true;
  }

  #addOther(line: string): boolean {
    const statistics = statisticsOf(line, this.#localTime);
    if (statistics !== undefined) {
      this.#statistics.push(statistics);
      return statistics.end !== undefined;
    }
    const error = errorOf(line);
    if (error !== undefined) {
      this.#errors.push(error);
      this.#isInError = true;
      return true;
    }
    const row = this.#isInTable ? tableRowOf(line) : undefined;
    if (row !== undefined) this.#isv(row.name).isRunning = row.isRunning;
    return row !== undefined || this.#isInError || isNoise(line);
  }
}
