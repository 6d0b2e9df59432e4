import { textManagerCode } from '../text-manager.ts';
import { parseLsdyna } from './parse.ts';

const AT_START = String.raw`(?<=^[ \t]{0,40})`;
const FIGURES = String.raw`(?:\d{1,9}|-)\s{1,20}(?:\d{1,9}|-)\s{1,20}(?:\d{1,9}|-)\s{0,20}\|\s{0,20}(?:\d{1,9}|-)(?=\s{0,9}$)`;

/** What reads the outputs of lstc_qrun. */
export const lsdynaCode = textManagerCode({
  name: 'LS-DYNA',
  kind: 'lstc_qrun',
  title: 'lstc_qrun -R',
  runs: (server) => [
    ['-s', server, '-R'],
    // without an option, it lists programs with their times
    ['-s', server],
  ],
  parse: parseLsdyna,
  shapes: [
    `${AT_START}(?:Using (?:user specified|default) server|LICENSE INFORMATION|LICENSE GROUP|Running Programs|Queued Programs)`,
    String.raw`${AT_START}PROGRAM\s{1,20}EXPIRATION\s{1,20}CPUS\s{1,20}USED\s{1,20}FREE\s{1,20}MAX(?: \| QUEUE)?`,
    String.raw`${AT_START}No programs (?:running|queued|running or queued)|${AT_START}User\s{1,20}Host\s{1,20}Program\s{1,20}Started\s{1,20}# procs`,
    FIGURES,
  ],
  vocabulary: {
    words: `
      cannot connect connection could cpus default error expiration failed free group host information license max no not open or procs
      program programs queue queued refused resolve running server specified started to unknown used user using`,
    names: [],
  },
});
