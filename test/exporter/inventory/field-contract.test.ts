import { describe, expect, it } from 'vitest';
import { type Snapshot, WHOLE } from '../../../src/base/model/snapshot.ts';
import type { Field } from '../../../src/base/query-api/field.ts';
import { type FieldEndpoint, fieldEndpoints, modelName, recordFields } from '../../../src/base/query-api/records.ts';
import { decodeAnswer } from '../../../src/exporter/inventory/decoding/decode.ts';
import { createFieldContract, type KeptContract } from '../../../src/exporter/inventory/field-contract.ts';
import { createKnowledge, createReadings, missingPart } from '../../../src/exporter/inventory/knowledge.ts';
import { collectPolls } from '../../../src/exporter/metrics/site-collector.ts';
import { evaluateRule, ruleOf, viewOf } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { createTestLog } from '../../support/harness.ts';
import { good } from '../../support/scenario.ts';

/** What is known when a field is missing, for every field of every polled endpoint. */

const NOW = 1_800_000_000;
const DAY = 86_400;
const PERMANENT = 2_147_483_641;
const [ONE, TWO] = ['lic01;cdslmd', 'lic02;mgcld'] as const;
const owners = [ONE, TWO];

type Raw = Readonly<Record<string, unknown>>;
/** Changes the records of an endpoint. */
type Change = (endpoint: FieldEndpoint, owner: string, record: Raw) => Raw;
const unchanged: Change = (_, __, record) => record;

const wireValue = ({ type }: Field): unknown =>
  type === 'flag' ? true : type === 'date' ? '/Date(1900000000000)/' : 7;

function recordOf(endpoint: FieldEndpoint, owner: string): Raw {
  const [ServerName, Daemon] = owner.split(';');
  const own = { Product: owner, Feature: 'a', ServerName, Daemon };
  const fields = Object.entries<Field>(recordFields[endpoint]);
  const [all, known] = [
    Object.fromEntries(fields.map(([name, field]) => [name, wireValue(field)])),
    new Set(fields.map(([name]) => name)),
  ];
  return { ...all, ...Object.fromEntries(Object.entries(own).filter(([name]) => known.has(name))) };
}

const decode = <E extends FieldEndpoint>(endpoint: E, value: unknown) =>
  decodeAnswer(endpoint, Buffer.from(JSON.stringify(value)), PERMANENT);

/** The analyzer: two vendor licenses, two records of each in GetFeatures and GetExpirationFeatures. */
class Site {
  at = NOW;

  answer(change: Change): Snapshot {
    const records = (endpoint: FieldEndpoint, owner: string) =>
      [0, 1].map((i) => change(endpoint, owner, { ...recordOf(endpoint, owner), Version: String(i) }));
    const products = owners.map((owner) => change('GetProducts', owner, recordOf('GetProducts', owner)));
    const state = { interval: 60, maxAge: 300, lastAttempt: { at: this.at, seconds: 1 }, lastSuccess: this.at };
    const features = decode('GetFeatures', [owners.flatMap((owner) => records('GetFeatures', owner))]);
    const expirations = owners.map((owner) => {
      const value = decode('GetExpirationFeatures', records('GetExpirationFeatures', owner));
      return [owner, good(value, this.at)] as const;
    });
    return {
      at: this.at,
      endpoints: {
        GetProducts: {
          ...state,
          parts: new Map([[WHOLE, good(decode('GetProducts', products), this.at)]]),
        },
        GetFeatures: { ...state, parts: new Map([[WHOLE, good(features, this.at)]]) },
        GetExpirationFeatures: { ...state, parts: new Map(expirations) },
      },
    };
  }
}

interface Start {
  readonly absent?: readonly string[];
  readonly isOwn?: boolean;
  readonly kept?: KeptContract | undefined;
  readonly site?: Site;
}

function start({ absent = [], isOwn = false, kept, site = new Site() }: Start = {}) {
  const log = createTestLog();
  let saved: KeptContract | undefined;
  const contract = createFieldContract({
    absent,
    isOwnAnalyzer: () => isOwn,
    kept: () => kept,
    now: () => site.at,
    log,
    onChange: (content) => {
      // as a file keeps it
      saved = JSON.parse(JSON.stringify(content)) as KeptContract;
    },
  });
  let snapshot: Snapshot | undefined;
  return {
    site,
    log,
    saved: () => saved,
    poll: async (change: Change = unchanged) => {
      site.at += 60;
      snapshot = await site.answer(change);
      contract.observe(snapshot);
    },
    missing: () =>
      contract
        .states()
        .list.filter(({ missing }) => missing.length > 0)
        .map(({ endpoint, field, missing }) => `${endpoint}.${field} ${missing.join()}`),
    states: contract.states,
    readings: () => createReadings(snapshot as Snapshot, site.at, contract.states()),
    knowledge: () => createKnowledge(snapshot as Snapshot, site.at, contract.states()),
    samples: () => {
      const families = collectPolls({
        polls: [],
        availability: [],
        up: true,
        knowledge: { products: true },
        fields: contract.states(),
      });
      const family = families.find(({ name }) => name === 'license_poll_field_missing');
      return Object.fromEntries(
        contract.states().list.map(({ endpoint, field }, row) => [`${endpoint}.${field}`, family?.value(row)]),
      );
    },
    alerts: () => {
      const view = viewOf({ at: site.at, endpoints: {} }, site.at);
      const inventory = { ...view.inventory, fields: contract.states() };
      return evaluateRule(ruleOf('LicenseFieldMissing/warning'), { ...view, inventory }).findings.map(
        ({ labels }) => labels,
      );
    },
  };
}

/** Fields without which a record is not usable are no matter of the contract: the answer is discarded. */
const identifying: Readonly<Record<FieldEndpoint, string>> = {
  GetProducts: 'Product',
  GetFeatures: 'Feature',
  GetExpirationFeatures: 'Feature',
};
/** Without these, a record of the answer for all names no vendor license. */
const naming: readonly string[] = ['ServerName', 'Daemon'];

const cases = fieldEndpoints.flatMap((endpoint) =>
  Object.keys(recordFields[endpoint])
    .filter((field) => field !== identifying[endpoint] && !naming.includes(field))
    .map((field) => [endpoint, field] as const),
);
const needed = cases.filter(([endpoint, field]) => (recordFields[endpoint] as Record<string, Field>)[field]?.isNeeded);
const optional = cases.filter((each) => !needed.includes(each));

const rename =
  (endpoint: FieldEndpoint, field: string, of: readonly string[] = owners): Change =>
  (answered, owner, record) => {
    if (answered !== endpoint || !of.includes(owner)) return record;
    const { [field]: value, ...others } = record;
    return { ...others, [field.toLowerCase() === field ? field.toUpperCase() : field.toLowerCase()]: value };
  };

describe.each(cases)('%s.%s', (endpoint, field) => {
  it('is missing when one vendor license lacks it, until it returns', async () => {
    const { poll, missing, samples, alerts, knowledge, readings } = start();
    await poll();
    expect([missing(), alerts(), samples()[`${endpoint}.${field}`]]).toEqual([[], [], undefined]);
    await poll(rename(endpoint, field, [ONE]));
    expect(missing()).toEqual([`${endpoint}.${field} ${ONE}`]);
    expect(samples()[`${endpoint}.${field}`]).toBe(1);
    expect(alerts()).toEqual([{ alertname: 'LicenseFieldMissing', severity: 'warning', endpoint, field }]);
    const known = (name: string) => {
      const { collection, features, expiries } = knowledge();
      return { GetProducts: collection(name), GetFeatures: features(name), GetExpirationFeatures: expiries(name) };
    };
    expect(known(ONE)[endpoint]).toBe(false);
    expect(known(TWO)).toEqual({ GetProducts: true, GetFeatures: true, GetExpirationFeatures: true });
    if (endpoint === 'GetExpirationFeatures') {
      expect(missingPart(readings(), endpoint, ONE).cause).toBe(`does not have ${field} in any record now`);
    }
    await poll();
    expect([missing(), alerts(), samples()[`${endpoint}.${field}`]]).toEqual([[], [], undefined]);
    expect(known(ONE)[endpoint]).toBe(true);
  });

  it('is there while one record has it', async () => {
    const { poll, missing } = start();
    await poll();
    await poll((answered, owner, record) =>
      answered !== 'GetProducts' && record.Version === '0' ? rename(endpoint, field)(answered, owner, record) : record,
    );
    expect(missing().filter((each) => field !== 'Version' || !each.includes('.Version'))).toEqual([]);
  });

  it('is missing after a restart with the kept names, and not if the analyzer does not have it', async () => {
    const { poll, saved, site } = start();
    await poll();
    const next = start({ kept: saved(), site });
    await next.poll(rename(endpoint, field));
    expect(next.missing()).toEqual([`${endpoint}.${field} ${owners.join()}`]);
    const listed = start({ kept: next.saved(), site, absent: [`${endpoint}.${field}`] });
    await listed.poll(rename(endpoint, field));
    expect(listed.missing()).toEqual([]);
  });
});

describe('at the first answer ever', () => {
  it.each(needed)('%s.%s is needed', async (endpoint, field) => {
    const { poll, missing } = start();
    await poll(rename(endpoint, field));
    expect(missing()).toEqual([`${endpoint}.${field} ${owners.join()}`]);
  });

  it.each(optional)('%s.%s is not needed', async (endpoint, field) => {
    const { poll, missing } = start();
    await poll(rename(endpoint, field));
    expect(missing()).toEqual([]);
  });

  it.each(cases)('%s.%s can be left out by the analyzer of this program, but not renamed', async (endpoint, field) => {
    const { poll, missing } = start({ isOwn: true });
    await poll((answered, owner, record) => {
      const { [field]: _, ...others } = record;
      return answered === endpoint ? others : recordOf(answered, owner);
    });
    expect(missing()).toEqual([]);
    const renamed = start({ isOwn: true });
    await renamed.poll(rename(endpoint, field));
    const isNeeded = needed.some(([each, name]) => each === endpoint && name === field);
    expect(renamed.missing()).toEqual(isNeeded ? [`${endpoint}.${field} ${owners.join()}`] : []);
  });
});

describe('after a week', () => {
  const later = async ([endpoint, field]: (typeof cases)[number], days: number) => {
    const { poll, missing, site, log } = start();
    await poll();
    await poll(rename(endpoint, field));
    site.at += days * DAY;
    await poll(rename(endpoint, field));
    const logged = log.entries.filter(({ message }) => message.startsWith('fields have been missing for a week'));
    return { missing: missing(), logged: logged.length };
  };

  it.each(needed)('%s.%s is still missing', async (...each) => {
    expect(await later(each, 30)).toEqual({ missing: [`${each.join('.')} ${owners.join()}`], logged: 0 });
  });

  it.each(optional)('%s.%s is no longer expected, and the log says so', async (...each) => {
    expect((await later(each, 6.9)).missing).toEqual([`${each.join('.')} ${owners.join()}`]);
    expect(await later(each, 7)).toEqual({ missing: [], logged: 2 });
  });
});

it('all values in camelCase: every field is missing', async () => {
  const { poll, missing } = start();
  await poll();
  await poll((endpoint, _, record) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name === identifying[endpoint] || naming.includes(name) ? name : modelName(name),
        value,
      ]),
    ),
  );
  const same = (name: string): boolean => modelName(name) === name;
  const renamed = cases.filter(([, field]) => !same(field));
  expect(missing()).toEqual(renamed.map((each) => `${each.join('.')} ${owners.join()}`));
});

it('a vendor license that is not current has no say', async () => {
  const { poll, missing } = start();
  const old: Change = (endpoint, owner, record) =>
    owner === ONE && endpoint === 'GetProducts' ? { ...record, IsCurrent: false } : record;
  await poll(old);
  await poll((endpoint, owner, record) =>
    old(endpoint, owner, rename('GetFeatures', 'InUse', [ONE])(endpoint, owner, record)),
  );
  expect(missing()).toEqual([]);
});

it('without IsCurrent, usage can be old and is withheld', async () => {
  const site = new Site();
  const snapshot = await site.answer(rename('GetProducts', 'IsCurrent', [ONE]));
  const withoutFeatures = { ...snapshot, endpoints: { GetProducts: snapshot.endpoints.GetProducts } };
  const { vendorLicenses } = deriveInventoryNow(withoutFeatures as Snapshot, site.at, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  expect([...vendorLicenses].map(({ vendorLicense, isWithheld }) => [vendorLicense, isWithheld])).toEqual([
    [ONE, true],
    [TWO, false],
  ]);
});
