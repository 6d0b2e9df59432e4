import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import { textManagerCode } from '../text-manager.ts';
import { parseSlurm } from './parse.ts';

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
