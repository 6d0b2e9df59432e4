import { describe, expect, it } from 'vitest';
import { html, joined, nameHtml } from '../../../src/base/html/html.ts';

describe('html', () => {
  it('escapes text in elements and attributes, and joins lists', () => {
    const hostile = `<script>alert("1")</script>&'`;
    expect(`${html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`]}</p>`}`).toBe(
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;<b>1</b></p>',
    );
  });

  it('writes nothing for what is undefined, and 0 for 0', () => {
    expect(`${html`<td>${undefined}</td><td>${0}</td>`}`).toBe('<td></td><td>0</td>');
  });

  it('shows controls and marks of direction as characters, and keeps tabs and line ends', () => {
    expect(`${nameHtml('a\u202eb\u0000c\td\n')}`).toBe('<bdi>a\ufffdb\ufffdc\td\n</bdi>');
  });

  it('writes a separator between pieces', () => {
    expect(`${html`${joined(['a', html`<b>b</b>`], ' · ')}`}`).toBe('a · <b>b</b>');
  });
});
