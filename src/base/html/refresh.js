// @ts-nocheck: it runs in a browser, whose types are not those of the daemon
/**
 * Replaces the content of the page from time to time. It waits while the page is hidden, while a
 * field has the focus, and while text is selected. Without scripts, the browser loads the whole page again.
 */
const seconds = Number(document.currentScript.dataset.seconds);
const notice = () => document.getElementById('refreshed');

function isBusy() {
  const { activeElement } = document;
  return document.hidden || activeElement?.matches('input, select') || !getSelection().isCollapsed;
}

/** A page that cannot be refreshed must not look current. */
function report(text) {
  notice().textContent = text === '' ? '' : ` · ${text}`;
  document.body.classList.toggle('outdated', text !== '');
}

/** Shows the new content. What had the focus has it again. */
function replaceContent(content) {
  const { id } = document.activeElement ?? {};
  document.querySelector('main').replaceWith(document.adoptNode(content));
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
}

async function refresh() {
  if (isBusy()) return;
  try {
    const response = await fetch(location.href);
    if (!response.ok) throw new Error(`license-exporter answers with status ${response.status}`);
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    replaceContent(next.querySelector('main'));
    document.title = next.title;
    report('');
  } catch (error) {
    // fetch has no words of its own for a daemon that is gone
    const reason = error instanceof TypeError ? 'license-exporter cannot be reached' : error.message;
    report(`This page is out of date: ${reason}`);
  }
}

setInterval(refresh, seconds * 1000);
