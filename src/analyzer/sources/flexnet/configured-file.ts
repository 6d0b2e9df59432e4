import { SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { countText } from '../../../base/texts.ts';
import type { DiagnosticsCount } from '../lines.ts';
import type { SourceTime } from '../times.ts';
import type { Output } from '../transport/transport.ts';
import { formOfLog } from './debug-log-line.ts';
import { type LicenseFile, parseLicenseFile } from './license-file.ts';
import { type OptionsFile, parseOptionsFile } from './options-file.ts';

/** License files and options files that the configuration names: what they are instead, and which of their lines are not understood. */

/** Characters that show what a text is. */
const HEAD = 8192;

// biome-ignore lint/suspicious/noControlCharactersInRegex: text has none of them
const CONTROLS = /[\u0001-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g;

interface Statements {
  readonly statements: number;
  readonly diagnostics: DiagnosticsCount;
}

/** Whether most of its statements are understood. */
const isMostly = ({ statements, diagnostics }: Statements): boolean => diagnostics.unparsed * 2 < statements;

/** What a text seems to be that is not what it should be. */
function seemsToBe(text: string, localTime: SourceTime | undefined): string {
  const head = text.slice(0, HEAD);
  if (head.trim() === '') return 'it is empty';
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(head)) return 'it is an HTML page or XML';
  if ((head.match(CONTROLS)?.length ?? 0) * 50 > head.length) return 'it is not text';
  if (/^\s*(?:lmutil|lmstat) - |^\s*License server status:/im.test(head)) return 'it is an output of lmstat';
  if (formOfLog(`${head}\n`) === 'debug') return 'it is a debug log';
  if (localTime === undefined) return 'it has no statement of an options file';
  return isMostly(parseOptionsFile(head, '')) ? 'it is an options file' : 'it has no SERVER, FEATURE or INCREMENT line';
}

/** `0 of 3 statements were understood, the first that was not is in line 1 and looks like "<!a a>"; the file was read as UTF-8`. */
function countsOf({ encoding }: Output, { statements, diagnostics }: Statements): string {
  const { unparsed, first } = diagnostics;
  if (statements === 0) return 'it has no statement';
  const place =
    first === undefined ? '' : `, the first that was not is in line ${first.line} and looks like "${first.mask}"`;
  const read = encoding === undefined ? '' : `; the file was read as ${encoding}`;
  return `${statements - unparsed} of ${countText(statements, 'statement was', 'statements were')} understood${place}${read}`;
}

const noSuch = (file: string, what: string, counts: string, remedy: string): SourceFailure =>
  new SourceFailure('unparsed', `the file ${file} is not ${what}: ${counts}; ${remedy}`);

/** Reads a license file. @throws SourceFailure if it is something else */
export function readLicenseFile(file: string, output: Output, localTime: SourceTime): LicenseFile {
  const { stdout: text } = output;
  const found = parseLicenseFile(text, localTime);
  const { features, packages, servers } = found;
  // one with SERVER lines can be meant to have no others
  if (features.length + packages.length + servers.length > 0) return found;
  const counts = `${seemsToBe(text, localTime)}; ${countsOf(output, found)}`;
  throw noSuch(file, 'a license file', counts, 'correct the path in `license_files`');
}

/** Reads an options file, which may have no statement. @throws SourceFailure if it is something else */
export function readOptionsFile(file: string, output: Output, daemon: string): OptionsFile {
  const found = parseOptionsFile(output.stdout, daemon);
  if (found.statements === 0 || found.keywords > 0) return found;
  const isLicense = /^\s*(?:SERVER|FEATURE|INCREMENT|PACKAGE|VENDOR|DAEMON)\s/im.test(output.stdout);
  const is = isLicense ? 'it is a license file' : seemsToBe(output.stdout, undefined);
  throw noSuch(file, 'an options file', `${is}; ${countsOf(output, found)}`, 'correct the path in `options_files`');
}

/** What is said of a file of which some statements are not understood. */
export function remarkOn(file: string, output: Output, found: Statements): SourceProblem | undefined {
  if (found.diagnostics.unparsed === 0) return undefined;
  const message = `of the file ${file}, ${countsOf(output, found)}; correct these lines, or report them (license-exporter capture)`;
  return { kind: 'unparsed', message, isMinor: true };
}
