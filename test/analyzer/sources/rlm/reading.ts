import type { Parsed } from '../../../../src/analyzer/sources/parsed.ts';
import { observeRlm } from '../../../../src/analyzer/sources/rlm/observe.ts';
import { parseRlmstat } from '../../../../src/analyzer/sources/rlm/parse.ts';
import type { RlmReport } from '../../../../src/analyzer/sources/rlm/report.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';

/** Reads outputs of the tool as a source does. */

const utc = createSourceTime('UTC', 'UTC');
export const server = '5053@rlm.example.com';

export const reportOf = (text: string): RlmReport => parseRlmstat(text, { localTime: utc });

export function observe(text: string, { now = 0, part = '' }: { now?: number; part?: string } = {}): Parsed {
  const report = reportOf(text);
  return observeRlm(report, { server, part, now: now || (report.referenceTime ?? 0), localTime: utc });
}

/** @throws Error if the text gives data */
export function failureOf(text: string): SourceFailure {
  try {
    observe(text);
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw error;
  }
  throw new Error('The text gives data.');
}

export const secondsOf = (time: string): number => Date.parse(`${time}Z`) / 1000;

/** The lines of an ISV server that runs. */
export const isv = (name: string, pools: string, usage = ''): string => `
	------------------------

	${name} ISV server status on lic7 (port 49152), up 00:20:00
	${name} software version v14.2 (build: 3)
	${name} comm version: v1.2
	${name} info log filename: /var/log/rlm/${name}.dlog
	${name} Report log filename: <stdout>
	Startup time: Tue Mar  3 09:40:00 2026
	Todays Statistics (00:20:00), init time: Tue Mar  3 09:40:00 2026
	Recent Statistics (00:20:00), init time: Tue Mar  3 09:40:00 2026

	             Recent Stats         Todays Stats         Total Stats
	              00:20:00             00:20:00             00:20:00
	Messages:    37 (0/sec)           37 (0/sec)          37 (0/sec)
	Checkouts:   1 (0/sec)           1 (0/sec)          1 (0/sec)
	Denials:     4 (0/sec)           4 (0/sec)          4 (0/sec)
	Removals:    0 (0/sec)           0 (0/sec)          0 (0/sec)


	------------------------

	${name} license pool status on lic7 (port 49152)

${pools}
${usage === '' ? '' : `\n	------------------------\n\n	${name} license usage status on lic7 (port 49152)\n\n${usage}\n`}`;

/** The lines before those of ISV servers. The tool ran at 2026-03-03 10:00:00. */
export const head = (...table: readonly string[]): string => `Setting license file path to 5053@lic7
rlmutil v14.2
Copyright (C) 2006-2021, Reprise Software, Inc. All rights reserved.


	rlm status on lic7 (port 5053), up 2d 00:30:00
	rlm software version v14.2 (build:3)
	rlm comm version: v1.2
	Startup time: Sun Mar  1 09:30:00 2026
	Todays Statistics (09:59:59), init time: Tue Mar  3 00:00:01 2026
	Recent Statistics (1d 00:15:30), init time: Mon Mar  2 09:44:30 2026

	             Recent Stats         Todays Stats         Total Stats
	           1d 00:15:30             09:59:59          2d 00:30:00
	Messages:    71 (0/sec)           71 (0/sec)          71 (0/sec)
	Connections: 52 (0/sec)           52 (0/sec)          52 (0/sec)

	--------- ISV servers ----------
	   Name           Port Running Restarts
${table.join('\n')}
`;

export const runAt = secondsOf('2026-03-03T10:00:00');
