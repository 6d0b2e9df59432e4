import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile: `RUN`, and what follows it with the build arguments filled in. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Instructions from one `FROM` to the next. */
export interface Stage {
  readonly from: string;
  /** After `AS`; empty without it. */
  readonly name: string;
  /** Its build arguments, which its `RUN` instructions find in their environment. Those of other stages are not known in it. */
  readonly args: Readonly<Record<string, string>>;
  readonly instructions: readonly Instruction[];
}

/** Those that the test carries out. Another one needs code there first. */
const KNOWN = [
  ...['WORKDIR', 'COPY', 'RUN', 'ENV', 'LABEL', 'VOLUME', 'USER', 'EXPOSE'],
  ...['HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
];

/** @param given build arguments, as `--build-arg` gives them. @throws Error for an instruction that is not known */
export function readDockerfile(file: string, given: Readonly<Record<string, string>>): readonly Stage[] {
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: (Stage & { args: Record<string, string>; instructions: Instruction[] })[] = [];
  // those before the first stage are known to FROM only
  const global: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', written = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const args = (name === 'FROM' ? undefined : stages.at(-1)?.args) ?? global;
    const rest = written.replaceAll(/\$\{(\w+)\}/g, (_, argument) => args[argument] ?? '');
    if (name === 'ARG') {
      const [argument = '', value = ''] = rest.split(/=(.*)/s, 2);
      args[argument] = given[argument] ?? value;
    } else if (name === 'FROM') {
      const [from = '', stage = ''] = rest.split(' AS ');
      stages.push({ from, name: stage, args: {}, instructions: [] });
    } else if (KNOWN.includes(name)) stages.at(-1)?.instructions.push({ name, rest });
    else throw new Error(`the test does not know the instruction ${name}`);
  }
  return stages;
}

/** What follows an instruction that occurs once. @throws Error if it does not */
export function only({ instructions }: Stage, name: string): string {
  const [found, ...others] = instructions.filter((instruction) => instruction.name === name);
  if (found === undefined || others.length > 0) throw new Error(`${name} does not occur once`);
  return found.rest;
}
