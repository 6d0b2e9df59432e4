import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { Parsed } from '../parsed.ts';
import type { LicenseSupply } from './inventory.ts';
import {
  clockProblem,
  cutFailure,
  type Exit,
  failureWithoutData,
  othersFailure,
  partialProblems,
} from './lmstat-problems.ts';
import type { LmstatReport } from './lmstat-report.ts';
import { membersOf, membersWithoutData } from './members.ts';
import { type FlexnetMemory, nextMemory } from './memory.ts';
import type { OptionsFile } from './options-file.ts';
import { ownPartOf } from './own-part.ts';
import type { FlexnetSettings } from './settings.ts';
import { VendorLicenses } from './vendor-licenses.ts';
import type { FeatureDaemon } from './which-daemon.ts';

/** Everything that one collection has read. */
export interface FlexnetInput {
  /** Of `lmstat -a`. */
  readonly report: LmstatReport;
  /** Of `lmstat -i`. */
  readonly inventory?: readonly LicenseSupply[] | undefined;
  /** Of license files. For the features that they have, they are used instead of `inventory`. */
  readonly fileSupply?: readonly LicenseSupply[] | undefined;
  /** Options files by daemon, as far as they are known. */
  readonly options?: ReadonlyMap<string, OptionsFile> | undefined;
  /** Of `lmstat -S`. Needed if nothing else says which daemon serves a feature. */
  readonly served?: readonly FeatureDaemon[] | undefined;
  readonly settings: FlexnetSettings;
  readonly memory: FlexnetMemory;
  /** When and where the output was made. */
  readonly output: {
    /** Epoch seconds. */
    readonly at: number;
    /** Whether the tool ran here and now: then its clock must be ours. */
    readonly isCommand: boolean;
    readonly exit?: Exit | undefined;
  };
}

/** What one collection says, and what the next one has to know of it. */
export interface FlexnetParsed extends Parsed {
  /** For the next output of the source. */
  readonly memory: FlexnetMemory;
  /** Features of which nothing says which daemon serves them. */
  readonly unattributed: number;
  /** Vendor daemons that the output shows as up. */
  readonly running: readonly string[];
}

/**
 * What the output of `lmstat -a` says. `denials` of its pools are undefined: they are in other files.
 *
 * @throws SourceFailure if it gives no data: neither features nor vendor daemons that are down
 */
export function observeFlexnet({
  report: whole,
  inventory = [],
  fileSupply = [],
  options = new Map(),
  served = [],
  settings,
  memory,
  output,
}: FlexnetInput): FlexnetParsed {
  const own = ownPartOf(whole, settings.servers);
  if (own === undefined) throw othersFailure(whole, settings);
  const { report, others } = own;
  const failure = failureWithoutData(report, settings, output.exit);
  if (failure !== undefined) {
    const members = membersWithoutData(failure.kind, settings.servers, report.members);
    throw new SourceFailure(failure.kind, failure.message, { members });
  }
  if (output.isCommand && report.isCut) throw cutFailure(settings);
  const clock = output.isCommand ? clockProblem(report, output.at) : undefined;
  const hasTimes = clock === undefined;
  const next = nextMemory(memory, report);
  const at = (hasTimes ? report.referenceTime : undefined) ?? output.at;
  const remembered = [...next.daemons].flatMap(([feature, names]) => [...names].map((daemon) => ({ feature, daemon })));
  const supplies = { inventory, fileSupply, options, served: [...served, ...remembered] };
  const licenses = new VendorLicenses(report, supplies, settings, { at, hasTimes, hasSeenQueue: next.hasSeenQueue });
  const vendorLicenses = licenses.observe();
  const { unparsed, masks, contradictions } = report.diagnostics;
  return {
    vendorLicenses,
    problems: [
      ...(clock === undefined ? [] : [clock]),
      ...partialProblems(report, settings, { down: licenses.down, unattributed: licenses.unattributed, others }),
    ],
    members: membersOf(settings.servers, report.members),
    referenceTime: hasTimes ? report.referenceTime : undefined,
    diagnostics: { unparsed, masks, contradictions: contradictions + licenses.contradictions },
    memory: next,
    unattributed: licenses.unattributed,
    running: report.daemons.flatMap(({ name, up }) => (up ? [name] : [])),
  };
}
