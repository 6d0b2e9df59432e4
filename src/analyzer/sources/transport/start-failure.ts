import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { openFilesFailure, SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { Executable } from './executable.ts';
import type { Output } from './transport.ts';

/** Why the system did not start a tool that exists, or why the tool did not come to its own code. */

/** Numbers of machines in ELF files (e_machine). */
const MACHINES: Readonly<Record<number, string>> = {
  2: 'SPARC',
  3: 'x86, 32 bits',
  8: 'MIPS',
  20: 'PowerPC',
  21: 'PowerPC, 64 bits',
  22: 'S/390',
  40: 'ARM, 32 bits',
  43: 'SPARC, 64 bits',
  50: 'Itanium',
  62: 'x86-64',
  183: 'ARM, 64 bits',
  243: 'RISC-V',
};
/** Our own machine first, then those whose programs its kernel may run as well. */
const RUNS: Readonly<Record<string, readonly number[]>> = {
  x64: [62, 3],
  ia32: [3],
  arm64: [183, 40],
  arm: [40],
  ppc64: [21, 20],
  s390x: [22],
  riscv64: [243],
};

/** Exit codes of shells and loaders for a program that cannot be run. */
const CANNOT_RUN = 126;
const NOT_FOUND = 127;
const SYNTAX_ERROR = 2;

const notLoaded = (message: string): SourceFailure => new SourceFailure('loader', message);
const notExecutable = (message: string): SourceFailure => new SourceFailure('not_executable', message);

const machineOf = (machine: number): string => MACHINES[machine] ?? `machine type ${machine}`;

const otherMachine = (path: string, machine: number): SourceFailure =>
  notExecutable(
    `${path} is a program for another machine (${machineOf(machine)}, this host is ${process.arch}); install the tool for this host`,
  );

/**
 * Refuses what the system cannot execute. The C library would hand such a file to a shell, which nobody asked for and
 * which gives an answer of its own.
 */
export function formatProblem(path: string, executable: Executable | undefined): SourceFailure | undefined {
  // elsewhere, programs have another format
  if (executable === undefined || process.platform !== 'linux') return undefined;
  if (executable.is === 'other')
    return notExecutable(
      `${path} is neither a program of this system nor a script with a #! line; add the line, or name the interpreter first in \`command\``,
    );
  if (executable.is !== 'elf') return undefined;
  const runs = RUNS[process.arch];
  return runs === undefined || runs.includes(executable.machine) ? undefined : otherMachine(path, executable.machine);
}

/** The failure of a program that the system may not run, and whose error then is that of a shell. */
function foreignProblem(path: string, executable: Executable | undefined): SourceFailure | undefined {
  if (executable?.is !== 'elf' || RUNS[process.arch] === undefined) return undefined;
  return RUNS[process.arch]?.[0] === executable.machine ? undefined : otherMachine(path, executable.machine);
}

/** What installs the program that loads a tool. */
function loaderRemedy(loader: string): string {
  const name = loader.slice(loader.lastIndexOf('/') + 1);
  const lsb = /^ld-lsb(?:-(x86-64))?\.so\.\d+$/.exec(name);
  if (lsb !== null) {
    const target = lsb[1] === undefined ? 'ld-linux.so.2' : 'ld-linux-x86-64.so.2';
    return `install the package lsb (lsb-core on Debian, redhat-lsb-core on Red Hat), or create it with: ln -s ${target} ${loader}`;
  }
  if (name === 'ld-linux.so.2')
    return 'it is for tools of 32 bits: install the package libc6:i386 (Debian) or glibc.i686 (Red Hat)';
  if (name.startsWith('ld-musl')) return 'install the package musl';
  if (name.startsWith('ld-linux')) return 'install the package glibc (libc6 on Debian, gcompat on Alpine)';
  return 'install the package that contains it';
}

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  );

/** The tool exists, but the system did not find a file: the one that loads or interprets it. */
async function missingLoader(path: string, executable: Executable | undefined): Promise<SourceFailure> {
  if (!(await isThere(path)))
    return new SourceFailure('missing_tool', `${path} does not exist any more; install the tool again`);
  if (executable?.is === 'script') {
    const { interpreter } = executable;
    if (interpreter.endsWith('\r'))
      return notLoaded(`${path} is a script with the line ends of Windows; convert it (sed -i 's/\\r$//' ${path})`);
    return notLoaded(
      `${path} is a script for ${interpreter}, which does not exist; install it, or correct the #! line of the script`,
    );
  }
  const loader = executable?.is === 'elf' ? executable.interpreter : undefined;
  if (loader === undefined)
    return notLoaded(`${path} exists, but the program that loads it does not; for lmutil, install the package lsb`);
  return notLoaded(`${path} exists, but the program that loads it, ${loader}, does not; ${loaderRemedy(loader)}`);
}

/** @param error what starting the tool threw */
export async function startFailure(
  path: string,
  executable: Executable | undefined,
  error: NodeJS.ErrnoException,
): Promise<SourceFailure> {
  switch (error.code) {
    case 'ENOENT':
      return missingLoader(path, executable);
    case 'EACCES':
    case 'EPERM':
      return notExecutable(
        executable?.is === 'script'
          ? `${path} or its interpreter ${executable.interpreter} may not be executed by the user of this process; allow it (chmod a+rx)`
          : `${path} may not be executed by the user of this process; allow it (chmod a+rx ${path})`,
      );
    case 'ENOEXEC':
      return (
        foreignProblem(path, executable) ??
        notExecutable(`${path} is not a program of this system; install the tool for it`)
      );
    case 'ETXTBSY':
      return notExecutable(`${path} is being written; replace tools by renaming a complete file`);
    case 'E2BIG':
      return notExecutable(`${path} cannot be started: its arguments and environment are too long; shorten \`env\``);
    case 'EAGAIN':
    case 'ENOMEM':
      return notExecutable(
        `${path} cannot be started: ${error.code}; raise the limits of processes and memory of this process`,
      );
    default:
      return (
        openFilesFailure(path, error) ?? notExecutable(`${path} cannot be started: ${error.code ?? 'unknown error'}`)
      );
  }
}

/**
 * Why a tool that was started never came to its own code: a library or an interpreter is missing. Undefined if the parser
 * must find out what it says.
 *
 * @param searchPath the PATH it ran with
 */
export function silentExitFailure(
  path: string,
  executable: Executable | undefined,
  { exitCode, stderr }: Pick<Output, 'exitCode' | 'stderr'>,
  searchPath: string,
): SourceFailure | undefined {
  if (exitCode !== CANNOT_RUN && exitCode !== NOT_FOUND && exitCode !== SYNTAX_ERROR) return undefined;
  const library = /error while loading shared libraries: ([^\s:]{1,200}):/.exec(stderr)?.[1];
  if (library !== undefined)
    return notLoaded(
      `${path} needs the library ${library}, which does not exist here; install the package that contains it`,
    );
  if (exitCode === NOT_FOUND && executable?.is === 'script' && executable.interpreter.endsWith('/env'))
    return notLoaded(
      `${path} is a script whose interpreter is not in PATH (${searchPath}); write its path in the #! line, or set PATH in \`env\``,
    );
  // what a shell says about a program that it took for a script
  return /syntax error|cannot execute|not found/i.test(stderr) ? foreignProblem(path, executable) : undefined;
}
