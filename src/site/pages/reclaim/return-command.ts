import { type LicenseServer, parseServer } from '../../../base/model/license-server.ts';

/** The line that a license administrator types to take a checkout back. This program never runs it. */

/** What names a checkout to its license server. It comes from the wire: each text can be anything. */
export interface ReturnedCheckout {
  readonly feature: string;
  /** Empty if it has none. */
  readonly handle: string;
  /** As GetUsers has it; empty if it is not known. */
  readonly server: string;
  readonly isBorrowed: boolean;
}

/** A line, and the shell that reads it as it is meant; `any` if both do. */
interface ReturnLine {
  readonly shell: 'any' | 'sh' | 'cmd';
  readonly text: string;
}

export interface ReturnCommand {
  /** Empty if there is no safe one. */
  readonly lines: readonly ReturnLine[];
  /** Where the line must be typed, or why one is missing. */
  readonly note: string | undefined;
}

const none = (note: string): ReturnCommand => ({ lines: [], note });

/** A text that both shells read as it is, without quotes. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+-]*$/;

/** What a person cannot see, or a browser does not copy as it is: controls, direction marks, and blanks other than the space. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}[\p{Zs}--[ ]]]/v;

/** No license manager has them in a name, and each shell reads them in another way. */
const QUOTE = /["'`]/;

/** Within the quotes of cmd, each has a meaning there or to the program that is called. */
const UNSAFE_IN_CMD = /[%!^]|\\$/;

/** Why a text cannot be an argument; `undefined` if it can. */
function argumentProblem(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.startsWith('-')) return 'begins with a hyphen, and would be read as an option';
  if (UNSEEN.test(text)) return 'has characters that cannot be seen';
  if (QUOTE.test(text)) return 'has quotes';
  return undefined;
}

const quotedForSh = (text: string): string => (PLAIN.test(text) ? text : `'${text}'`);

const quotedForCmd = (text: string): string => (PLAIN.test(text) ? text : `"${text}"`);

/** A text from the wire, with the words for it in a sentence. */
type Argument = readonly [what: string, text: string];

/** @param lineOf the line with its arguments quoted, in the order of `given` @param note where it must be typed */
function commandOf(
  given: readonly Argument[],
  lineOf: (...quoted: readonly string[]) => string,
  note?: string,
): ReturnCommand {
  for (const [what, text] of given) {
    const problem = argumentProblem(text);
    if (problem !== undefined) return none(`There is no line to copy: the ${what} ${problem}.`);
  }
  const texts = given.map(([, text]) => text);
  const sh = lineOf(...texts.map(quotedForSh));
  if (texts.every((text) => PLAIN.test(text))) return { lines: [{ shell: 'any', text: sh }], note };
  const unsafe = given.find(([, text]) => UNSAFE_IN_CMD.test(text));
  if (unsafe === undefined) {
    const cmd = lineOf(...texts.map(quotedForCmd));
    return {
      lines: [
        { shell: 'sh', text: sh },
        { shell: 'cmd', text: cmd },
      ],
      note,
    };
  }
  const missing = `There is no line for cmd: the ${unsafe[0]} has characters that it cannot quote safely.`;
  return { lines: [{ shell: 'sh', text: sh }], note: note === undefined ? missing : `${note} ${missing}` };
}

/** `lmremove -c license_file_list -h feature server_host port handle` of the FlexNet License Administration Guide. */
function flexnetCommand(
  { host, port }: LicenseServer,
  { feature, handle, isBorrowed }: ReturnedCheckout,
): ReturnCommand {
  if (isBorrowed) {
    const note = 'A borrowed license returns only on the host that borrowed it: type it there.';
    return commandOf([['name of the feature', feature]], (name) => `lmutil lmborrow -return ${name}`, note);
  }
  // of an IPv6 address, `-c` would read a list of servers
  if (host.includes(':')) return none('There is no line to copy: lmremove takes no IPv6 address of a license server.');
  return commandOf(
    [
      ['name of the feature', feature],
      ['handle', handle],
    ],
    (name, id) => `lmutil lmremove -c ${port}@${host} -h ${name} ${host} ${port} ${id}`,
  );
}

/** `rlmremove host port isv handle` of the RLM License Administration Manual. It asks before it removes. */
function rlmCommand(
  { host, port, isv }: Extract<LicenseServer, { readonly manager: 'rlm' }>,
  { handle, isBorrowed }: ReturnedCheckout,
): ReturnCommand {
  if (isBorrowed)
    return none('A roaming license of RLM returns only on the host that has it: there is no line to copy.');
  return commandOf([['handle', handle]], (id) => `rlmutil rlmremove ${host} ${port} ${isv} ${id}`);
}

/** How a checkout is taken back. */
export function returnCommand(checkout: ReturnedCheckout): ReturnCommand {
  const server = parseServer(checkout.server);
  if (server === undefined) {
    return none('No command is known: the analyzer does not say which license server could take it back.');
  }
  switch (server.manager) {
    case 'flexnet':
      return flexnetCommand(server, checkout);
    case 'rlm':
      return rlmCommand(server, checkout);
  }
}
