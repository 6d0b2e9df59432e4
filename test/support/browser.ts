import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { isMatrix, patience } from './extent.ts';
import { findProgram } from './peers.ts';

/** Pages as people see them: in a real Chromium, at a size and in a color scheme. Use it in `describe.runIf(peer('chromium'))`. */

/** A size of the window in CSS pixels, and what the browser tells the page. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  /** IANA name; that of the system by default. */
  readonly timezoneId?: string;
  /** Sent with every request. */
  readonly extraHTTPHeaders?: Record<string, string>;
}

/** The views in which every page must be good. */
export const views = {
  desktop: { width: 1440, height: 900, colorScheme: 'light' },
  phone: { width: 390, height: 844, colorScheme: 'light' },
  dark: { width: 1440, height: 900, colorScheme: 'dark' },
} as const satisfies Readonly<Record<string, View>>;

/** The views in which each page is examined. */
export const drawnViews: Readonly<Partial<Record<keyof typeof views, View>>> = isMatrix ? views : { dark: views.dark };

/** What is wrong with a page, and how large it is. */
export interface Look {
  /** Violations that axe-core finds, one line each with its impact, its rule and the elements. */
  readonly violations: readonly string[];
  /** Messages of the console, uncaught errors, and what could not be loaded. A good page has none. */
  readonly messages: readonly string[];
  /** Days, numbers and amounts that are on two lines, and phrases that reach beyond their place. A good page has none. */
  readonly broken: readonly string[];
  /** How much wider than the window the page is, CSS pixels. */
  readonly overflow: number;
  /** How high the page is, CSS pixels. */
  readonly height: number;
}

/** The look of a page in which nothing is wrong, for `toMatchObject`. */
export const flawless = { violations: [], messages: [], broken: [], overflow: 0 } as const;

/** A page in a tab of its own. */
export interface Tab {
  readonly page: Page;
  /** Examines the page as it is now. */
  look(): Promise<Look>;
}

export interface TestBrowser {
  /** Opens a URL. The Content-Security-Policy of the page applies. */
  open(url: string, view: View): Promise<Tab>;
  /** Opens a URL, examines the page and closes it. */
  look(url: string, view: View): Promise<Look>;
  close(): Promise<void>;
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(
    ({ impact, id, nodes }) =>
      `${impact} ${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html.slice(0, 120)}`).join(' | ')}`,
  );
}

const SIZE = `(({ scrollWidth, clientWidth, scrollHeight }) => ({
  overflow: scrollWidth - clientWidth,
  height: scrollHeight,
}))(document.documentElement)`;

/** Names may break anywhere, and code is text to be typed. */
const BROKEN = `(() => {
  const broken = [];
  const whole = /\\d{4}-\\d\\d(?:-\\d\\d)?|(?:\\b[A-Z]{3}\\s)?\\d[\\d,.]*\\d|\\d[\\d,.]*\\s(?:s|min|h|%)(?!\\w)/g;
  const rectsOf = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].filter(({ width }) => width > 0);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { data, parentElement } = node;
    if (parentElement.closest('bdi, code, pre, svg, .hidden') !== null) continue;
    for (const { 0: text, index } of data.matchAll(whole)) {
      const lines = new Set(rectsOf(node, index, index + text.length).map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(text + ' in ' + data.trim().slice(0, 80));
    }
    const place = parentElement.closest('.worth, .tiles li, td, th, .rows > li > div');
    const right = Math.max(...rectsOf(node, 0, data.length).map((rect) => rect.right));
    if (place !== null && right > place.getBoundingClientRect().right + 1) broken.push('beyond its place: ' + data.trim());
  }
  return broken;
})()`;

async function openTab(browser: Browser, url: string, { width, height, ...others }: View): Promise<Tab> {
  const page = await browser.newPage({ viewport: { width, height }, ...others });
  page.setDefaultTimeout(patience);
  const messages: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => messages.push(`failed: ${request.url()}`));
  await page.goto(url, { waitUntil: 'load' });
  const look = async (): Promise<Look> => {
    // before axe-core, which scrolls
    const size = await page.evaluate<Pick<Look, 'overflow' | 'height'>>(SIZE);
    const broken = await page.evaluate<readonly string[]>(BROKEN);
    return { violations: await violationsOf(page), messages, broken, ...size };
  };
  return { page, look };
}

/** Starts Chromium. It takes about a second: start it once for a test file, and close it after the last test. */
export async function startBrowser(): Promise<TestBrowser> {
  // no sandbox, because tests in containers run as root
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({
    executablePath: findProgram('chromium') ?? 'chromium',
    args,
    timeout: patience,
  });
  return {
    open: (url, view) => openTab(browser, url, view),
    look: async (url, view) => {
      const { page, look } = await openTab(browser, url, view);
      try {
        return await look();
      } finally {
        await page.close();
      }
    },
    close: () => browser.close(),
  };
}
