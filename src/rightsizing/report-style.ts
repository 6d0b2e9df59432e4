/** The style of the report: on a screen, light and dark, wide and narrow, and on A4. */
export const reportStyle = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #4a5568; --line: #dde3ea; --box: #f5f7fa; --link: #1a56b0; --demo: #fff3cd; --warn: #b45309; --bad: #b91c1c; --good: #2f855a; }
@media screen and (prefers-color-scheme: dark) { :root { --text: #e6eaf0; --soft: #a9b4c2; --line: #333c49; --box: #1d242e; --link: #7fb2f5; --demo: #4a3c0d; --warn: #f0b14a; --bad: #f58a8a; --good: #74c69d; } body { background: #12171e; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2.5rem auto; padding: 0 1rem; color: var(--text); }
a { color: var(--link); }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .3rem; border-bottom: 2px solid var(--line); } h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; }
p { margin: .3rem 0; } .soft, small { color: var(--soft); } .demo { background: var(--demo); border-left: 4px solid #d39e00; padding: .5rem .8rem; margin: 1rem 0; }
.sums { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.4rem, 1fr)); gap: .6rem; margin: 1.2rem 0 0; padding: 0; list-style: none; }
.sums li { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; }
.sums strong { display: block; font-size: 1.2rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.items { list-style: none; margin: 0; padding: 0; }
.items > li { border-bottom: 1px solid var(--line); padding: .6rem 0; break-inside: avoid; overflow-wrap: anywhere; }
.worth { font-variant-numeric: tabular-nums; margin-top: .3rem; } .worth b { font-size: 1.1rem; }
@media (min-width: 46rem) { .items > li { display: grid; grid-template-columns: minmax(0, 1fr) 15rem; column-gap: 1.5rem; } .worth { margin-top: 0; } }
table { border-collapse: collapse; margin: .4rem 0 0; font-size: .85rem; font-variant-numeric: tabular-nums; }
.steps { overflow-x: auto; } .steps { overflow-wrap: normal; } .steps th { white-space: nowrap; text-align: left; font-weight: 400; color: var(--soft); padding: .1rem .6rem .1rem 0; } .steps td { text-align: right; padding: .1rem .45rem; border-left: 1px solid var(--line); white-space: nowrap; }
.steps .kept { font-weight: 700; }
.counts { width: 100%; font-size: 1rem; } .counts td { border-bottom: 1px solid var(--line); padding: .35rem 0; vertical-align: top; } .counts td:first-child { width: 5rem; text-align: right; padding-right: 1rem; }
footer { margin-top: 2.5rem; border-top: 2px solid var(--line); padding-top: .6rem; font-size: .85rem; color: var(--soft); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: .5rem 0; } dt { font-weight: 600; } dd { margin: 0; }
@page { size: A4; margin: 14mm 15mm; }
@media print {
  :root { color-scheme: light; } .steps td { padding: .1rem .45rem; }
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0; } h1 { font-size: 16pt; } h2 { font-size: 12pt; } h2, h3 { break-after: avoid; }
  .items > li { display: grid; grid-template-columns: minmax(0, 1fr) 50mm; column-gap: 5mm; } .sums { grid-template-columns: repeat(3, 1fr); } .sums strong { font-size: 13pt; }
  .screen { display: none; } a { color: inherit; text-decoration: none; }
}
`;
