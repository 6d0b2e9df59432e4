import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { FeatureEntry } from '../json/document.ts';
import { DiagnosticsCount, wholeNumber } from '../lines.ts';
import { ifKnown } from '../parsed.ts';
import { textManagerCode } from '../text-manager.ts';
import {
  type Refusal,
  readLines,
  type TextContext,
  type TextReport,
  unknownHost,
  unreachable,
} from '../text-report.ts';

/**
 * The answer of `scontrol show licenses`, with `-o` or without, or with `--json`. Seen from Slurm 22.05 and in the documentation of
 * 14.11 to 25.05.
 */

const name = 'Slurm';
const none: Refusal = {
  pattern: /^\s*No licenses configured\b/i,
  kind: 'empty',
  says: (server) =>
    `The Slurm controller of ${server} has no licenses: set Licenses in slurm.conf, or add them with sacctmgr.`,
};
const refusals: readonly Refusal[] = [
  none,
  unknownHost(name, /unknown host|name or service not known|unable to resolve/i),
  unreachable(
    name,
    /unable to contact slurm controller|connect failure|connection (?:refused|timed out)|slurm_load_licenses error/i,
  ),
  {
    pattern: /invalid authentication|protocol authentication error|munge/i,
    kind: 'refused',
    says: (server) =>
      `The Slurm controller of ${server} does not accept this host: check the munge key, and that munged runs here.`,
  },
  {
    pattern: /slurm\.conf|could not establish a configuration source/i,
    kind: 'not_executable',
    says: (server) =>
      `scontrol finds no slurm.conf for ${server}: set SLURM_CONF in env of the source, or install the configuration of the cluster.`,
  },
];

/** Figures of one license. */
type Figures = ReadonlyMap<string, string>;

/**
 * `Free` counts licenses that are reserved, so that without reservations it is what anyone can get. Of a remote license, others than
 * jobs of the cluster use `LastDeficit` (documentation of Slurm).
 */
function entryOf(figures: Figures): FeatureEntry {
  const [total, byJobs, free, reserved, deficit = 0] = ['total', 'used', 'free', 'reserved', 'lastdeficit'].map((key) =>
    wholeNumber(figures.get(key)),
  );
  const used = byJobs === undefined ? undefined : byJobs + deficit;
  return {
    feature: figures.get('licensename') ?? '',
    increments: [{ ...ifKnown('count', total) }],
    ...ifKnown('in_use', used),
    ...ifKnown('available', reserved === 0 || reserved === undefined ? free : undefined),
    ...(reserved === 0 ? { reservations: [] } : ifKnown('reserved', reserved)),
  };
}

/** `LicenseName=fluent Total=30 …`, or the figures on a line of their own. A value has no blank. */
function readText(text: string, context: TextContext) {
  const licenses: Map<string, string>[] = [];
  const lines = readLines(text, refusals, context, (line) => {
    const pairs = line
      .trim()
      .split(/\s+/)
      .map((word) => /^([A-Za-z]{1,40})=(\S*)$/.exec(word));
    const isFirst = pairs[0]?.[1] === 'LicenseName';
    if (pairs.includes(null) || (!isFirst && licenses.length === 0)) return false;
    if (isFirst) licenses.push(new Map());
    for (const pair of pairs) licenses.at(-1)?.set((pair?.[1] ?? '').toLowerCase(), pair?.[2] ?? '');
    return true;
  });
  return { licenses: licenses as readonly Figures[], lines, isOwn: licenses.length > 0 || lines.refusal === none };
}

/** `{"licenses": [{"LicenseName": "fluent", "Total": 30, …}], …}`. */
function readJson(text: string, { onUnread }: TextContext) {
  const diagnostics = new DiagnosticsCount(onUnread);
  const licenses: Figures[] = [];
  let list: unknown;
  try {
    list = (JSON.parse(text) as { readonly licenses?: unknown } | null)?.licenses;
  } catch {
    // a part of a document says nothing
  }
  for (const one of Array.isArray(list) ? list : []) {
    const entries = Object.entries(one ?? {}).map(([key, value]) => [key.toLowerCase(), String(value)] as const);
    const figures = new Map(entries);
    if ((figures.get('licensename') ?? '') === '') diagnostics.addUnparsed('{…}');
    else licenses.push(figures);
  }
  const isOwn = Array.isArray(list);
  if (!isOwn) diagnostics.addUnparsed(text.slice(0, 80));
  const refusal = isOwn && licenses.length === 0 && diagnostics.unparsed === 0 ? none : undefined;
  return { licenses, lines: { refusal, hasText: true, isCut: !isOwn, diagnostics }, isOwn };
}

/** Reads what scontrol printed. It never fails. */
function parseSlurm(text: string, context: TextContext): TextReport {
  const { licenses, lines, isOwn } = /^\s*\{/.test(text) ? readJson(text, context) : readText(text, context);
  const features = licenses.map(entryOf);
  return {
    ...lines,
    vendorLicenses: features.length === 0 ? [] : [{ daemon: 'slurm', features }],
    servers: [],
    isOwn,
    problems: [],
  };
}

const JSON_FORM = ['show', 'licenses', '--json'];
const LINES = ['show', 'licenses', '-o'];

/** What reads the output of scontrol. */
export const slurmCode = textManagerCode({
  name: 'Slurm',
  kind: 'scontrol',
  title: 'scontrol show licenses',
  runs: () => [LINES],
  ask: async (run) => {
    try {
      const output = await run(JSON_FORM);
      if (output.stdout.trimStart().startsWith('{')) return output;
    } catch (error) {
      // versions before 23.02 do not have it; everything else is said again
      if (!(error instanceof SourceFailure) || error.kind !== 'exit') throw error;
    }
    return run(LINES);
  },
  parse: parseSlurm,
  shapes: [
    'slurm_load_licenses error:|Unable to contact slurm controller',
    String.raw`(?<=^|\s)(?:Total|Used|Free|Reserved|LastConsumed|LastDeficit)=\d{1,9}(?!\S)|(?<=\s)Remote=(?:yes|no)`,
    String.raw`(?<=^[ \t]{0,40})LicenseName=|"(?:Total|Used|Free|Reserved|LastConsumed|LastDeficit)": ?\d{1,9}`,
    '"(?:licenses|LicenseName|Remote|meta|errors|warnings)"',
  ],
  vocabulary: {
    words: `
      configured connect contact controller error failure false free in lastconsumed lastdeficit lastupdate license licensename licenses meta no
      remote reserved total true unable used warnings yes`,
    names: [],
  },
});
