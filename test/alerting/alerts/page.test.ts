import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCounts, type Delivery } from '../../../src/alerting/alerts/delivery.ts';
import { alertUrl, anchorOf } from '../../../src/alerting/alerts/links.ts';
import { alertsRoutes } from '../../../src/site/pages/alerts/route.ts';
import { alertOf, alertsPageOf, manyAlerts, statusOf } from '../../support/alert-page.ts';
import { ruleOf } from '../../support/alert-views.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser, views } from '../../support/browser.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { NOW } from '../../support/scenario.ts';
import { servePage, testSite, textOf } from '../../support/served-page.ts';

/** The page `/alerts`. */

const cleanup = createCleanup();
afterAll(() => cleanup.run());

const tilesOf = (page: string): readonly string[] =>
  [...page.matchAll(/<strong>([^<]*)<\/strong> ([a-z ]+)<\/a>/g)].map(([, count, title]) => `${count} ${title}`);

const urlsOf = (page: string): readonly string[] =>
  [...page.matchAll(/href="(alerts[^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));

const deliveryOf = (more: Partial<Delivery> = {}): Delivery => ({
  url: 'http://am:9093',
  counts: createCounts(),
  enqueue: () => undefined,
  heartbeat: () => undefined,
  queueLength: () => 0,
  failing: () => undefined,
  stop: async () => undefined,
  ...more,
});

describe('an alert on the page', () => {
  it('has its state, severity, runbook, texts, labels and time in words', () => {
    const alert = alertOf({ severity: 'warning', license_source: 'rlm1', owner: 'ada' });
    const page = alertsPageOf(statusOf([alert]));
    expect(textOf(page)).toContain(
      'warning firing for 1m 40s since 2027-01-15 08:58 CET LicenseServerDown vendor license lic1;d license source rlm1 owner ada SUMMARY DESCRIPTION',
    );
    expect(page).toContain('<a href="runbooks#licenseserverdown">LicenseServerDown</a>');
    expect(page).toContain(`<li id="${anchorOf(alert.labels)}" class="is-warn">`);
    const elsewhere = alertsPageOf(statusOf([alert]), { runbooks: 'https://wiki.example.com/licenses' });
    expect(elsewhere).toContain('<a href="https://wiki.example.com/licenses#licenseserverdown">');
  });

  it('has the times of what it is about, and its own where that is later', () => {
    const textWith = (alertname: string, value: number) =>
      textOf(alertsPageOf(statusOf([alertOf({ alertname }, { value, knownAt: NOW - 10 })])));
    const own = 'alert since 2027-01-15 08:58 CET';
    expect(textWith('LicenseExpired', 86_390)).toContain(`firing so for 1d, since 2027-01-14 09:00 CET; ${own}`);
    expect(textWith('LicenseServerDown', 7190)).toContain(`firing so for 2h, since 2027-01-15 07:00 CET; ${own}`);
    expect(textWith('LicenseServerDown', 0)).toContain('firing for 1m 40s since 2027-01-15 08:58 CET Lic');
    expect(textWith('LicenseExpiringSoon', 86_410)).toContain(`firing due in 1d; ${own}`);
    expect(textWith('LicenseRunsOut', NOW + 172_800)).toContain(`firing due in 2d; ${own}`);
  });

  it('does not repeat the feature that its summary names', () => {
    const labels = { feature: 'solver', version: '2.0' };
    const page = (summary: string) => textOf(alertsPageOf(statusOf([alertOf(labels, { annotations: { summary } })])));
    expect(page('solver 2.0 of lic1;d expires.')).toContain('LicenseServerDown solver 2.0 of');
    expect(page('It expires.')).toContain(
      'LicenseServerDown vendor license lic1;d feature solver version 2.0 It expires.',
    );
  });

  it('that has ended says when, and after how long', () => {
    const times = { activeAt: NOW - 4000, firedAt: NOW - 3660, resolvedAt: NOW - 60 };
    const text = textOf(alertsPageOf(statusOf([alertOf({}, { state: 'resolved', ...times })])));
    expect(text).toContain('critical ended 1m ago 2027-01-15 08:59 CET, after 1h');
    expect(text).not.toContain('No alert');
  });

  it('without data says since when, why, what that means, and how long it is kept', () => {
    const held = alertOf({}, { unknownSince: NOW - 600 });
    const since = 'Kept without data since 2027-01-15 08:50 CET (10m ago)';
    const until = 'Without data, it is kept until 2027-01-15 09:50 CET and then dropped, not resolved.';
    const textWith = (alert?: ReturnType<typeof alertOf>) =>
      textOf(alertsPageOf(statusOf(alert === undefined ? [held] : [held, alert])));
    expect(textWith()).toContain(
      `${since}: there is no current data about it. Whether it still applies is unknown. ${until}`,
    );
    const analyzer = { alertname: 'LicenseAnalyzerUnreachable', vendor_license: '' };
    expect(textWith(alertOf(analyzer))).toContain(`${since}: see LicenseAnalyzerUnreachable . Whether`);
    // neither one that does not fire, nor one about something else, is the reason
    const others = [
      alertOf(analyzer, { state: 'pending' }),
      alertOf({ alertname: 'LicenseSourceDown', vendor_license: 'x' }),
    ];
    for (const other of others) expect(textWith(other)).toContain(`${since}: there is no current data`);
  });

  it('has a link to a silence, if it is one', () => {
    const page = (url: string) =>
      alertsPageOf(statusOf([alertOf({}, { annotations: { summary: 'S', silence_url: url } })]));
    expect(page('https://am.example.com/#/silences/new?filter=x')).toContain(
      '<a href="https://am.example.com/#/silences/new?filter=x">Silence<span class="hidden"> LicenseServerDown</span></a>',
    );
    // an annotation can come from an Alertmanager
    expect(page('javascript:alert(1)')).not.toContain('javascript:');
  });
});

describe('the list', () => {
  it('has what fires before what is pending and what has ended, by severity', () => {
    const alerts = [
      alertOf({ feature: 'a', severity: 'info' }),
      alertOf({ feature: 'b', severity: 'warning' }),
      alertOf({ feature: 'c' }, { state: 'resolved', resolvedAt: NOW }),
      alertOf({ feature: 'd' }, { state: 'pending' }),
      alertOf({ feature: 'e' }),
    ];
    const shown = [...alertsPageOf(statusOf(alerts)).matchAll(/<bdi>([a-e])</g)].map(([, name]) => name);
    expect(shown).toEqual(['e', 'b', 'a', 'd', 'c']);
  });

  it('begins with what ended or ends first', () => {
    const of = (alertname: string, feature: string, value: number) =>
      alertOf({ alertname, feature }, { value, activeAt: NOW - 50, knownAt: NOW });
    const alerts = [
      of('LicenseExpiringSoon', 'f1', 3600),
      of('LicenseExpiringSoon', 'f2', 1500),
      of('LicenseExpired', 'f3', 3600),
      of('LicenseExpired', 'f4', 86_400),
      ...[300, 100].map((age) => alertOf({ feature: `f${age}` }, { activeAt: NOW - age })),
    ];
    const shown = [...alertsPageOf(statusOf(alerts)).matchAll(/<bdi>(f\d+)/g)].map(([, name]) => name);
    expect(shown).toEqual(['f4', 'f3', 'f300', 'f100', 'f2', 'f1']);
  });
});

describe('the counts', () => {
  const alerts = [
    alertOf({ feature: 'a', owner: 'ada' }),
    alertOf({ feature: 'b', owner: 'bob' }, { unknownSince: NOW - 5 }),
    alertOf({ feature: 'c', severity: 'warning' }),
    alertOf({ feature: 'd', severity: 'info' }),
    alertOf({ feature: 'e' }, { state: 'pending', unknownSince: NOW - 5 }),
    alertOf({ feature: 'f' }, { state: 'resolved', resolvedAt: NOW, unknownSince: NOW - 5 }),
  ];

  it('are links to their alerts, and keep words and owner', () => {
    const page = alertsPageOf(statusOf(alerts));
    expect(tilesOf(page)).toEqual([
      '2 critical',
      '1 warning',
      '1 info',
      '1 pending',
      '1 ended lately',
      '2 kept without data',
    ]);
    const counted = urlsOf(page).slice(1, 7);
    const numbers = counted.map((url) => {
      const query = Object.fromEntries(new URL(url, 'http://x').searchParams);
      return alertsPageOf(statusOf(alerts), { query }).split('<li id="alert-').length - 1;
    });
    expect(numbers).toEqual([2, 1, 1, 1, 1, 2]);
    const query = { q: 'server', owner: 'ada', state: 'pending' };
    const filtered = alertsPageOf(statusOf(alerts), { query });
    expect(tilesOf(filtered)[0]).toBe('1 critical');
    expect(urlsOf(filtered)).toContain('alerts?q=server&severity=critical&state=firing&owner=ada');
    expect(filtered).toMatch(/state=pending&amp;owner=ada" aria-current="true"/);
  });

  it('of none are not known unless the rules are evaluated', () => {
    const counts = (status: Parameters<typeof statusOf>[1]) => tilesOf(alertsPageOf(statusOf([], status)))[0];
    expect(counts({})).toBe('0 critical');
    expect(counts({ lastEvaluation: undefined })).toBe('? critical');
    expect(counts({ lastEvaluation: { at: NOW - 91, seconds: 1 } })).toBe('? critical');
  });
});

describe('the filter', () => {
  const alerts = [
    alertOf({ feature: 'Solver Q', owner: 'ada' }),
    alertOf({ feature: 'mesh', owner: 'bob', severity: 'warning' }, { annotations: { summary: 'Größe of solver' } }),
  ];
  const shown = (query: object) =>
    [...alertsPageOf(statusOf(alerts), { query }).matchAll(/<bdi>(Solver Q|mesh)<\/bdi>/g)].map(([, name]) => name);

  it.each([
    [{ q: 'SOLVER' }, ['Solver Q', 'mesh']],
    [{ q: 'q  solver' }, ['Solver Q']],
    [{ q: 'größe' }, ['mesh']],
    // a label of all alerts
    [{ q: 'lic.example.com mesh' }, ['mesh']],
    [{ q: 'nothing' }, []],
    [{ q: ['mesh', 'solver'] }, ['mesh']],
    [{ q: '', severity: '', state: '', owner: '' }, ['Solver Q', 'mesh']],
    [{ severity: 'warning' }, ['mesh']],
    [{ owner: 'ada' }, ['Solver Q']],
    [{ owner: 'ad' }, []],
    [{ state: 'pending' }, []],
    [{ state: 'firing', severity: 'critical', owner: 'ada', q: 'lic1' }, ['Solver Q']],
  ])('%j shows %j', (query, expected) => {
    expect(shown(query)).toEqual(expected);
  });

  it('is in the form again, and says that nothing matches', () => {
    const query = { q: '"><b>', severity: 'info', owner: 'ada' };
    const page = alertsPageOf(statusOf(alerts), { query });
    expect(page).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(page).toContain('<option value="info" selected>');
    expect(page).toContain('<option value="ada" selected>');
    expect(textOf(page)).toContain('No alert matches the filter. Show all alerts');
    expect(textOf(page)).not.toContain('No alert fires');
  });

  it('names a value that is not valid, and the valid ones', () => {
    const page = alertsPageOf(statusOf(alerts), { query: { severity: 'fatal', state: ['<b>'] } });
    expect(textOf(page)).toContain('There is no severity "fatal". Valid are critical, warning, info.');
    expect(page).toContain('There is no state &quot;&lt;b&gt;&quot;. Valid are firing, pending, resolved, held.');
    expect(shown({ severity: 'fatal' })).toHaveLength(2);
  });

  it('has owners only if there are any, as a list unless there are too many', () => {
    expect(alertsPageOf(statusOf([alertOf()]))).not.toContain('name="owner"');
    expect(alertsPageOf(statusOf(alerts))).toContain('<select id="filter-owner" name="owner">');
    const many = Array.from({ length: 51 }, (_, i) => alertOf({ owner: `team-${i}`, feature: `${i}` }));
    expect(alertsPageOf(statusOf(many))).toContain('<input id="filter-owner" name="owner"');
  });
});

describe('without alerts', () => {
  const text = (more: Parameters<typeof statusOf>[1]) => textOf(alertsPageOf(statusOf([], more)));

  it('says so only if the rules were evaluated lately', () => {
    const all = new Set(statusOf([]).rules.map(({ name }) => name));
    expect(text({ withData: all })).toContain('No alert fires or is pending.');
    // what has no data may apply
    const some = alertsPageOf(statusOf([], { withData: new Set() }));
    expect(textOf(some)).toContain('No alert fires or is pending of those that have data.');
    expect(some).not.toContain('class="good"');
    const never = text({ lastEvaluation: undefined });
    expect(never).toContain(
      'The rules have not been evaluated yet: there is no data from the analyzer, or a rule fails.',
    );
    const old = text({ lastEvaluation: { at: NOW - 600, seconds: 1 } });
    expect(old).toContain(
      'The last evaluation was at 2027-01-15 08:50 CET (10m ago), although the rules are evaluated every 30s',
    );
    for (const status of [never, old]) {
      expect(status).not.toContain('No alert');
      expect(status).toContain('Whether there are alerts is unknown.');
    }
  });

  it('names the alerts that had no data', () => {
    expect(text({})).not.toContain('no data');
    expect(text({ withData: new Set() })).toContain(
      'These have no data, so whether they apply is unknown: LicenseServerDown .',
    );
  });

  it('does not name those about what is not configured', () => {
    const rules = [ruleOf('LicenseServerDown/critical'), ruleOf('LicenseArchiveDown/warning')];
    const page = text({ rules, notConfigured: new Set(['LicenseArchiveDown']) });
    expect(page).toContain('1 kind of alerts, evaluated');
    expect(page).toContain('No alert fires or is pending.');
    expect(page).not.toContain('have no data');
    expect(text({ rules })).toContain('These have no data, so whether they apply is unknown: LicenseArchiveDown .');
  });
});

describe('the receivers', () => {
  const text = (
    deliveries: readonly Delivery[],
    receivers: Parameters<typeof alertsPageOf>[1] = {},
    alerts = [alertOf()],
  ) => textOf(alertsPageOf(statusOf(alerts, { deliveries }), receivers)).split(' Receivers ')[1];

  it('say what they are, how they are doing, and why they fail', () => {
    const counts = { ...createCounts(), lastSuccess: NOW - 10 };
    const failing = () => ({ since: NOW - 300, reason: 'status 503: <no>' });
    expect(text([deliveryOf()])).toBe(
      'Alertmanager http://am:9093 nothing sent yet no success yet nothing waiting Set alerting.alertmanager_external_url to get links to a silence that is filled in.',
    );
    expect(text([deliveryOf({ counts })])).toContain(
      'works last success 2027-01-15 08:59 CET (10s ago) nothing waiting',
    );
    const broken = deliveryOf({ counts: { ...counts, errors: 1, dropped: 2 }, failing, queueLength: () => 7 });
    expect(text([broken])).toContain(
      'fails since 2027-01-15 08:55 CET (5m ago): status 503: &lt;no&gt; last success 2027-01-15 08:59 CET (10s ago) 7 waiting since the start: 1 failed delivery, 2 alerts dropped',
    );
    const receivers = [
      { receiver: 'email', target: 'a@example.com', lastSuccess: NOW - 60, failing: undefined, waiting: 0 } as const,
      { receiver: 'webhook', target: 'https://x', lastSuccess: undefined, failing: failing(), waiting: 1 } as const,
    ];
    expect(text([], { receivers })).toBe(
      'Email a@example.com works last success 2027-01-15 08:59 CET (1m ago) nothing waiting Webhook https://x fails since 2027-01-15 08:55 CET (5m ago): status 503: &lt;no&gt; no success yet 1 waiting',
    );
  });

  it('are explained if nobody is notified', () => {
    expect(text([])).toContain(
      'Nobody is notified: these alerts are only shown here. Set alerting.alertmanagers , alerting.email or alerting.webhook',
    );
    expect(text([])).toContain('add its labels to alerting.ignore');
    const silence = alertOf({}, { annotations: { silence_url: 'https://am/#/silences' } });
    expect(text([deliveryOf()], {}, [silence])).not.toMatch(/alerting\./);
  });
});

describe('many alerts', () => {
  const many = manyAlerts(10_000);

  it('make a page of at most 200 kB with the most urgent ones, and says how many there are', () => {
    const page = alertsPageOf(statusOf(many));
    expect(Buffer.byteLength(page)).toBeLessThan(200_000);
    const shown = page.split('<li id="alert-').length - 1;
    expect(shown).toBeGreaterThan(90);
    expect(textOf(page)).toContain(`The ${shown} most urgent of 10,000 alerts are shown. Filter to see others.`);
    expect(page.match(/<span class="bad">critical<\/span> firing/g)).toHaveLength(shown);
  });

  it('do not hide the one that a notification links to', () => {
    const last = many.at(-1) ?? alertOf();
    const url = new URL(alertUrl('http://exporter/alerts', last.labels));
    expect(url.hash).toBe(`#${anchorOf(last.labels)}`);
    const id = `id="${url.hash.slice(1)}"`;
    expect(alertsPageOf(statusOf(many))).not.toContain(id);
    const page = alertsPageOf(statusOf(many), { query: Object.fromEntries(url.searchParams) });
    expect(page.split(id)).toHaveLength(2);
    expect(page).toContain(`${id} class="is-bad linked"`);
    expect(Buffer.byteLength(page)).toBeLessThan(200_000);
  });

  it('of long names make no larger page', () => {
    const name = '"é'.repeat(5000);
    const alerts = Array.from({ length: 1000 }, (_, i) =>
      alertOf(
        { vendor_license: `${i}${name}`, feature: `${i}${name}`, owner: `${i}${name}` },
        { annotations: { summary: name, description: name } },
      ),
    );
    const page = alertsPageOf(statusOf(alerts));
    expect(Buffer.byteLength(page)).toBeLessThan(200_000);
    expect(page.split('<li id="alert-').length).toBeGreaterThan(10);
  });

  it('says that the alert of a link is gone', () => {
    const query = { alert: anchorOf(alertOf().labels) };
    expect(textOf(alertsPageOf(statusOf([]), { query }))).toContain(
      'The alert of your link is not listed. It has ended, or',
    );
    const notEvaluated = alertsPageOf(statusOf([], { lastEvaluation: undefined }), { query });
    expect(textOf(notEvaluated)).not.toContain('It has ended');
  });
});

const hostile = '</bdi></p><script>alert(1)</script>\u202e"\'&\r\nSet-Cookie: x<img src=x onerror=alert(2)>\u0000';

describe('names', () => {
  it('change nothing around them', () => {
    const text = fc.oneof(fc.string(), fc.constant(hostile), fc.string({ unit: 'binary' }));
    const property = fc.property(text, text, text, (a, b, c) => {
      const alert = alertOf(
        { alertname: a || 'x', vendor_license: b, feature: c, owner: a, severity: b },
        { annotations: { summary: c, description: a, silence_url: b } },
      );
      const page = alertsPageOf(statusOf([alert], { deliveries: [deliveryOf({ url: c })] }), {
        query: { q: a, owner: b },
      });
      const markup = page.replace(/<script src="refresh[^>]*><\/script>/, '');
      expect(markup).not.toMatch(/<script|<img|\p{Bidi_Control}|\r/u);
      expect(markup).not.toContain('\0');
      expect(markup.match(/<bdi>/g)?.length).toBe(markup.match(/<\/bdi>/g)?.length);
    });
    fc.assert(property, { numRuns: 100 });
  });
});

describe.runIf(peer('chromium'))('in a browser', () => {
  let browser: TestBrowser;
  let url = '';
  const held = alertOf({ vendor_license: '', alertname: 'LicensePollPartial' }, { unknownSince: NOW - 60 });
  const alerts = [
    ...manyAlerts(25),
    held,
    alertOf({ feature: hostile, vendor_license: `${hostile}${'x'.repeat(3000)}` }),
  ];
  const last = alertOf({ feature: 'last', severity: 'info' }, { activeAt: NOW - 9000 });
  const alike = Array.from({ length: 9 }, (_, i) => alertOf({ feature: `alike${i}` }));
  const status = statusOf([...alerts, ...alike, last], {
    deliveries: [deliveryOf({ failing: () => ({ since: NOW - 60, reason: 'ECONNREFUSED' }) })],
  });
  beforeAll(async () => {
    browser = await startBrowser();
    cleanup.add(() => browser.close());
    const context = {
      engine: () => status,
      alertCounts: () => undefined,
      site: { ...testSite, demo: true },
      receivers: () => [],
      runbooks: () => 'runbooks',
      now: () => NOW,
    };
    url = await servePage(cleanup, '/alerts', alertsRoutes(context, { path: 'alerts', title: 'Alerts' }));
  });

  it.each(Object.entries(drawnViews))('is flawless: %s', async (_, view) => {
    expect(await browser.look(`${url}/alerts`, view)).toMatchObject(flawless);
  });

  it('is flawless with a filter and a mistake in it', async () => {
    const query = 'state=held&q=x&severity=none&alert=gone';
    expect(await browser.look(`${url}/alerts?${query}`, views.dark)).toMatchObject(flawless);
  });

  it('refreshes itself, and keeps the focus', async () => {
    const { page } = await browser.open(`${url}/alerts`, views.desktop);
    await page.clock.install();
    await page.reload();
    await page.evaluate("document.querySelector('main').dataset.old = '1'");
    await page.evaluate("const row = document.querySelector('main li[id]'); row.tabIndex = -1; row.focus()");
    const focused = await page.evaluate('document.activeElement.id');
    // a row has the focus only with this attribute
    await page.route('**/alerts', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('<li id=', '<li tabindex="-1" id=') });
    });
    await page.clock.runFor(60_000);
    await page.locator('main:not([data-old])').waitFor();
    expect(focused).toMatch(/^alert-/);
    expect(await page.evaluate('document.activeElement.id')).toBe(focused);
    await page.close();
  });

  it('shows the alert of a link, also the least urgent one', async () => {
    const { page } = await browser.open(alertUrl(`${url}/alerts`, last.labels), views.phone);
    await page.locator(`#${anchorOf(last.labels)}`).waitFor({ state: 'visible' });
    await page.close();
  });

  it('can be filtered with the keyboard', async () => {
    const { page } = await browser.open(`${url}/alerts`, views.desktop);
    await page.locator('#filter-q').focus();
    await page.keyboard.type('alike3');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=alike3/);
    expect(await page.locator('li[id^="alert-"]').count()).toBe(1);
    await page.close();
  });
});
