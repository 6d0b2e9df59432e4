import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allAlerts } from '../../../src/alerting/alerts/rules.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { type SettingKey, settingKeys } from '../../../src/program/config/settings.ts';
import { isLong } from '../../support/extent.ts';

/** Any value of a setting is accepted, or refused with a message of this project. */

/** Maps that look like the ones that settings take, with anything in them. */
const names = [
  ...['basic_auth', 'authorization', 'tls_config', 'static_configs', 'targets', 'username', 'password_file', 'ca_file'],
  ...['timeout', 'scheme', 'vendor_license', 'feature', 'feature_type', 'overrides', 'enabled', 'raise', 'warning'],
  ...['site', '__proto__', 'constructor', ...Object.keys(allAlerts)],
];
const leaf = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    'x',
    'auto',
    '1h',
    '7',
    'off',
    ':1',
    'http://h',
    'http://u:p@h',
    '/x',
    '(',
    '\n',
  ),
  fc.integer(),
  fc.double(),
  fc.string(),
);
const { junk } = fc.letrec((tie) => ({
  junk: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('junk'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('junk'), { maxKeys: 4 }),
  ),
}));

const problemsOf = (flags: ReadonlyMap<SettingKey, unknown>): readonly string[] => {
  try {
    loadConfig({ flags, env: {}, requireAnalyzer: true });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems.map(({ message }) => message);
  }
};

/** The words of zod, and of nothing at all. */
const strange = /^Invalid (input|option|key)|Unrecognized key|undefined|\[object|^Too |^either$|^$/;

describe('junk is taken, or refused in plain words', () => {
  const nested = ['alerting.alertmanagers', 'alerting.rules', 'history.features', 'alerting.external_labels'] as const;

  it.each([
    ['any setting', settingKeys],
    ['what takes maps', nested],
  ])('in %s', (_, keys) => {
    fc.assert(
      fc.property(fc.constantFrom(...keys), junk, (key, value) => {
        for (const message of problemsOf(new Map([[key, value]]))) expect(message).not.toMatch(strange);
      }),
      { numRuns: isLong ? 400 : 100, seed: 12 },
    );
  });

  it.each([0, -1.5, true, '', ' ', {}, { '': 0 }, [{}], [null], [[0]], null])('in each setting: %j', (value) => {
    for (const key of settingKeys)
      for (const message of problemsOf(new Map([[key, value]]))) expect(message, key).not.toMatch(strange);
  });
});
