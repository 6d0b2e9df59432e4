import type { FlexnetOwn } from '../../src/analyzer/sources/flexnet/own-settings.ts';
import type { RlmOwn } from '../../src/analyzer/sources/rlm/own-settings.ts';
import type { SourceSettings } from '../../src/analyzer/sources/source-settings.ts';
import type { VendorLicenseObservation } from '../../src/base/model/observation/observation.ts';

/** Settings of a source, as the configuration gives them. */
export const sourceSettings = (
  more: Partial<SourceSettings & FlexnetOwn & RlmOwn> = {},
): SourceSettings & FlexnetOwn & RlmOwn => ({
  name: 'cad',
  manager: 'flexnet',
  servers: ['27000@lic1'],
  part: '',
  daemons: [],
  via: { kind: 'command', command: ['/opt/flexlm/lmutil'], env: {} },
  interval: 300,
  timeout: 60,
  maxOutput: 2 ** 20,
  encoding: undefined,
  timeZone: 'UTC',
  calendarZone: more.timeZone ?? 'UTC',
  licenseFiles: [],
  optionsFiles: {},
  debugLogs: [],
  reportLogs: {},
  features: { include: [], exclude: [], dropUnsupported: true },
  users: { names: 'keep', split: 'auto' },
  borrow: { lingerAtLeast: 3600 },
  ...more,
});

/** A vendor license with one feature, of which two of three licenses are in use. */
export const observationOf = (daemon: string): VendorLicenseObservation => ({
  server: '27000@lic1',
  daemon,
  part: '',
  reachable: true,
  pools: [
    {
      feature: 'solver',
      version: '2026.1',
      package: '',
      featureType: 'feature',
      licenseType: 'floating',
      licenseModel: 'concurrent',
      increments: [{ count: 3, expires: undefined }],
      reservations: [],
      checkouts: ['Ada', 'ada'].map((user, i) => ({
        user,
        host: `ws${i}`,
        display: ':0',
        licenses: 1,
        shareHandle: undefined,
        borrowed: false,
        status: undefined,
      })),
      unknownOfCheckouts: ['status'],
      queued: [{ user: 'Grace', host: 'ws9', licenses: 2 }],
      denials: undefined,
    },
  ],
});
