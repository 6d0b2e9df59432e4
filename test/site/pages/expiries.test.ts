import ICAL from 'ical.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startFaulty, status } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startApp, WORKDAY } from '../../support/harness.ts';

/** `/expirations.csv` and `/expirations.ics` of a daemon. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const site = { vendorLicenses: 5, featuresPerVendorLicense: 12 };
const settings = {
  'datasource.time_zone': 'Europe/Berlin',
  owners: [
    { vendor_license: 'sim-lic01;*', owner: 'cad', team: 'chips' },
    { vendor_license: 'sim-lic02;*', owner: 'cae, tools' },
  ],
};

async function start(broken?: { readonly part: string; readonly code: number }) {
  vi.useFakeTimers({ toFake: ['Date'], now: WORKDAY * 1000 });
  cleanup.add(() => vi.useRealTimers());
  const faulty = await startFaulty(cleanup, site);
  if (broken !== undefined) faulty.break(broken.part, status(broken.code));
  const app = await startApp(createConfig(faulty.url, settings));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const get = async (path: string) => {
    const response = await fetch(`${app.url}${path}`);
    return {
      status: response.status,
      headers: response.headers,
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer()),
    };
  };
  const rows = async (query = '') => {
    const { text } = await get(`/expirations.csv${query}`);
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    const names = head.split(',');
    // only vendor licenses are quoted, because of their semicolon
    return lines.map((line) => {
      const cells = [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain);
      return Object.fromEntries(names.map((name, at) => [name.replace('\uFEFF', ''), cells[at]]));
    });
  };
  const calendar = async (query = '') => new ICAL.Component(ICAL.parse((await get(`/expirations.ics${query}`)).text));
  const events = async (query = '') =>
    (await calendar(query)).getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  return { faulty, get, rows, calendar, events };
}

const DATE = /^\d{4}-\d\d-\d\d$/;

describe('expiries of a daemon', () => {
  it('are a table for spreadsheets', async () => {
    const { get, rows } = await start();
    const { status: code, headers, text } = await get('/expirations.csv');
    expect(code).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="expirations.csv"');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text.split('\r\n')[0]).toBe(
      '\uFEFFvendor_license,feature,version,package,feature_type,licenses,expires,days_left,owner,team,note',
    );
    const all = await rows();
    expect(all.length).toBeGreaterThan(3);
    for (const row of all) expect(row).toMatchObject({ expires: expect.stringMatching(DATE), note: '' });
    const dates = all.map(({ expires = '' }) => expires);
    expect(dates).toEqual(dates.toSorted());
    expect(new Set(all.map(({ owner, team }) => `${owner}/${team}`))).toEqual(
      new Set(['cad/chips', 'cae, tools/', '/']),
    );
  });

  it('are those of owners, and within days', async () => {
    const { rows } = await start();
    const all = await rows();
    const owners = async (query: string) => [...new Set((await rows(query)).map(({ owner }) => owner))].sort();
    expect(await owners('?owner=cad')).toEqual(['cad']);
    expect(await owners('?owner=')).toEqual(['']);
    expect(await owners('?owner=cae,%20tools&owner=cad')).toEqual(['cad', 'cae, tools']);
    const days = Math.ceil(Number(all.find(({ days_left }) => Number(days_left) > 0)?.days_left));
    const soon = all.filter(({ days_left }) => Number(days_left) >= 0 && Number(days_left) < days);
    expect(soon.length).toBeGreaterThan(0);
    expect(soon.length).toBeLessThan(all.length);
    expect(await rows(`?days=${days}`)).toEqual(soon);
  });

  it('are a calendar to subscribe to, with what expired in the last 30 days', async () => {
    const { get, rows, calendar, events } = await start();
    const { headers } = await get('/expirations.ics');
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="expirations.ics"');
    const shown = (await rows()).filter(({ days_left }) => Number(days_left) >= -30);
    expect(shown.some(({ days_left }) => Number(days_left) < 0)).toBe(true);
    const expected = new Set(shown.map(({ vendor_license, expires }) => `${expires} ${vendor_license}`));
    const found = (await events()).map(({ startDate, summary }) => `${startDate} ${summary.split(' – ')[1]}`);
    expect(new Set(found)).toEqual(expected);
    expect(found).toHaveLength(expected.size);
    const name = (await calendar('?owner=cad&owner=')).getFirstPropertyValue('x-wr-calname');
    expect(name).toBe('License expiries\\, cad\\, without an owner');
    expect((await events('?owner=cad')).length).toBeLessThan(found.length);
  });

  it.each([
    ['?days=soon', 'days is "soon", not an integer from 0 to 99999'],
    ['?days=1&days=2', 'days is ["1","2"], not an integer from 0 to 99999'],
    ['?user=x', 'there is no parameter "user"; valid are owner and days'],
    ['?owner=nobody', 'owner is "nobody", which no entry of owners or owners_file names'],
  ])('are refused for %s', async (query, message) => {
    const { get } = await start();
    for (const path of ['/expirations.csv', '/expirations.ics']) {
      expect(await get(`${path}${query}`)).toMatchObject({ status: 400, text: `${message}\n` });
    }
  });

  it('name the vendor licenses whose expiries are not known', async () => {
    const { rows, events, calendar } = await start({ part: 'GetExpirationFeatures?product=sim-lic01', code: 500 });
    const notes = (await rows()).filter(({ note }) => note !== '');
    expect(notes).toEqual([
      expect.objectContaining({
        vendor_license: 'sim-lic01;sim_cadd',
        expires: '',
        note: expect.stringMatching(/^expiries are not all known: GetExpirationFeatures of sim-lic01;sim_cadd: .*500/),
      }),
    ]);
    const [first] = await events();
    expect(first?.summary).toBe('Expiries of 1 vendor license are not all known');
    expect(first?.startDate.toString()).toBe('2026-11-18');
    expect((await calendar()).getFirstPropertyValue('x-wr-caldesc')).toBe(first?.summary);
  });

  it('are 503 with the reason if nothing is known', async () => {
    const { get } = await start({ part: '/api/', code: 500 });
    for (const path of ['/expirations.csv', '/expirations.ics']) {
      const { status: code, text } = await get(path);
      expect(code).toBe(503);
      expect(text).toMatch(/^Expiries are not known: Get\w+: .*500.*\n$/);
    }
  });
});
