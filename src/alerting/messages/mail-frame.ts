import { type Content, type Html, html } from '../../base/html/html.ts';
import { line } from './texts.ts';

/** What all mails have in common. */

/** A mail before it is encoded. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The text of a calendar. */
  readonly calendar: string | undefined;
}

/** Where people find more. URLs without a trailing slash. */
export interface MailLinks {
  /** The page of alerts. */
  readonly alertsUrl: string;
  readonly analyzer: string;
}

/** The alerts on the page that have some words in their labels. @param owner empty for those of all owners */
export const listUrl = (alertsUrl: string, words: readonly string[], owner = ''): string =>
  `${alertsUrl}?${new URLSearchParams({ q: words.join(' '), ...(owner !== '' && { owner }) })}`;

const subjectPrefix = '[license-exporter]';

/** A mail program may drop the style, so that the text must be readable without it. */
const style = html`<style>
body { font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: #1c2430; background: #fff; margin: 0; }
main { max-width: 640px; margin: 0 auto; padding: 16px; }
h1 { font-size: 20px; line-height: 1.3; margin: 0 0 12px; } h2 { font-size: 16px; margin: 24px 0 8px; }
p { margin: 4px 0; } small { font-size: 14px; color: #4a5568; } a { color: #1a56b0; }
h1, p, td, small, li { overflow-wrap: anywhere; }
.alert { border-left: 4px solid #8a94a3; padding: 2px 0 2px 12px; margin: 0 0 16px; }
.critical { border-color: #c53030; } .warning { border-color: #d39e00; } .resolved { border-color: #2f855a; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 8px 6px 0; border-bottom: 1px solid #dde3ea; }
th { padding-top: 20px; } td:first-child { white-space: nowrap; }
footer { margin-top: 24px; font-size: 14px; color: #4a5568; }
</style>`;

/** A whole mail. @param title also the subject @param text the lines of the plain text below the title */
export function mailOf(
  title: string,
  text: readonly string[],
  body: Content,
  { alertsUrl, analyzer }: MailLinks,
  calendar?: string,
): MailContent {
  const footer = [`Analyzer: ${line(analyzer)}`, `Alerts: ${alertsUrl}`];
  const page: Html = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>${style}</head>
<body><main>
<h1>${title}</h1>
${body}
<footer><p>Analyzer <bdi>${line(analyzer)}</bdi> · <a href="${alertsUrl}">Alerts</a></p></footer>
</main></body>
</html>
`;
  return {
    subject: `${subjectPrefix} ${title}`,
    text: [title, '', ...text, '-- ', ...footer, ''].join('\n'),
    html: page.toString(),
    calendar,
  };
}
