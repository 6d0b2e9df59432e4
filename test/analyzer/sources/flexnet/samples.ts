import { type LmstatContext, parseLmstat } from '../../../../src/analyzer/sources/flexnet/lmstat.ts';
import type { LmstatCheckout, LmstatReport } from '../../../../src/analyzer/sources/flexnet/lmstat-report.ts';
import {
  type FlexnetInput,
  type FlexnetParsed,
  noMemory,
  observeFlexnet,
} from '../../../../src/analyzer/sources/flexnet/observe.ts';
import type { FlexnetSettings } from '../../../../src/analyzer/sources/flexnet/own-settings.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';

/** Outputs of lmstat, written for these tests. */

export const utc = createSourceTime('UTC', 'UTC');
/** Wed 2026-03-18 10:30 UTC. */
export const NOW = Date.UTC(2026, 2, 18, 10, 30) / 1000;

export const context: LmstatContext = { localTime: utc, now: NOW, split: 'auto', knownHosts: new Set() };

export const settings: FlexnetSettings = {
  servers: ['27000@lic1.example.com'],
  part: '',
  daemons: [],
  borrow: { lingerAtLeast: 3600 },
  users: { names: 'keep', split: 'auto' },
  features: { include: [], exclude: [], dropUnsupported: true },
  localTime: utc,
};

export const parse = (text: string, changes: Partial<LmstatContext> = {}): LmstatReport =>
  parseLmstat(text, { ...context, ...changes });

export const observe = (text: string, changes: Partial<FlexnetInput> = {}): FlexnetParsed =>
  observeFlexnet({
    report: parse(text),
    settings,
    memory: noMemory,
    output: { at: NOW, isCommand: true },
    ...changes,
  });

/** The failure of an output without data. */
export function failureOf(text: string, changes: Partial<FlexnetInput> = {}): SourceFailure {
  try {
    observe(text, changes);
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw error;
  }
  throw new Error('the output gives data');
}

export const TITLE = `lmutil - Copyright (c) 1989-2025 Flexera. All Rights Reserved.
Flexible License Manager status on Wed 3/18/2026 10:30
`;

export const SERVER = `License server status: 27000@lic1
    License file(s) on lic1: /opt/licenses/site.lic:

lic1: license server UP (MASTER) v11.19.6
`;

export const DAEMON = `Vendor daemon status (on lic1):

     acme: UP v11.19.6
Feature usage info:
`;

export const HEAD = `${TITLE}\n${SERVER}\n${DAEMON}`;

/** A feature with these lines after its pool head. */
export const feature = (name: string, total: number, inUse: number, ...lines: readonly string[]): string =>
  [
    `\nUsers of ${name}:  (Total of ${total} licenses issued;  Total of ${inUse} licenses in use)\n`,
    `  "${name}" v4.2, vendor: acme, expiry: 31-dec-2027`,
    '  vendor_string: edition=full',
    '  floating license\n',
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n');

export const checkoutsOf = ({ features }: LmstatReport): LmstatCheckout[] =>
  features.flatMap(({ pools }) => pools.flatMap(({ checkouts }) => checkouts));
