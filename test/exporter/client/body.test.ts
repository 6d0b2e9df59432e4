import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { QueryError } from '../../../src/base/model/failure.ts';
import { createCleanup, createClient, type TestClientOptions } from '../../support/harness.ts';
import { type Call, startScripted } from '../../support/scripted-server.ts';

/** Bodies that are not usable: the cause is recognised, and the rest of a refused body is not read. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

type Script = (call: Call) => void;
type Method = 'getProducts' | 'getHistory' | 'getHttpUserName' | 'getConcurrentUsers';

/** The failure of one query to a server that answers it as scripted, after a good logon. */
async function ask(method: Method, script: Script, options: TestClientOptions = {}): Promise<QueryError> {
  const server = await startScripted((call) => {
    if (call.token !== '') call.proceed();
    else script(call);
  });
  const { client } = createClient(server.url, options);
  cleanup.add(() => server.stop());
  cleanup.add(() => client.close());
  const { signal } = new AbortController();
  const parameters = { product: 'a;b', feature: 'f' };
  return client[method](parameters, signal).then(
    (answered) => expect.fail(`answered ${JSON.stringify(answered)}`),
    (error: QueryError) => error,
  );
}

const answer =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Script =>
  ({ response }) =>
    response.writeHead(status, headers).end(body);

const page = '<!DOCTYPE html><html><head><title>Sign in, jdoe</title></head></html>';
const secret = '[{"Product":"jdoe"}]';
const json = { 'content-type': 'application/json' };

/** An answer with these headers, as a server or proxy writes them that adds one. */
const withHeaders =
  (...headers: readonly string[]): Script =>
  ({ socket }) =>
    void socket.end(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n${secret}`);

const wrong: readonly (readonly [string, Script, kind: string, code: string])[] = [
  ['a logon page', answer(page), 'parse', 'ANSWER_HTML'],
  ['an HTML page marked as JSON', answer(`\ufeff\n${page}`, json), 'parse', 'ANSWER_HTML'],
  ['an error page', answer('<h1>Service unavailable, jdoe</h1>'), 'parse', 'ANSWER_HTML'],
  ['XHTML', answer(`<?xml version="1.0"?>${page}`), 'parse', 'ANSWER_HTML'],
  ['XML', answer('<?xml version="1.0"?><ArrayOfProduct>jdoe</ArrayOfProduct>'), 'parse', 'ANSWER_XML'],
  ['XML without a prolog', answer('<ArrayOfProduct xmlns="urn:jdoe"/>'), 'parse', 'ANSWER_XML'],
  ['gzip', answer(gzipSync(secret), { 'content-encoding': 'gzip' }), 'parse', 'ANSWER_COMPRESSED'],
  ['gzip without a header', answer(gzipSync(secret)), 'parse', 'ANSWER_COMPRESSED'],
  ['brotli', answer('jdoe', { 'content-encoding': 'br' }), 'parse', 'ANSWER_COMPRESSED'],
  ['UTF-16', answer(Buffer.from(secret, 'utf16le')), 'parse', 'ANSWER_UTF16'],
  ['UTF-16 with a byte order mark', answer(Buffer.from(`\ufeff${secret}`, 'utf16le')), 'parse', 'ANSWER_UTF16'],
  ['big-endian UTF-16', answer(Buffer.from(secret, 'utf16le').swap16()), 'parse', 'ANSWER_UTF16'],
  [
    'UTF-16 with a quote byte inside a character',
    answer(Buffer.from('[{"Product":"\u2200"}]', 'utf16le')),
    'parse',
    'ANSWER_UTF16',
  ],
  ['nothing', answer(''), 'parse', 'ANSWER_EMPTY'],
  ['white space', answer(' \r\n'), 'parse', 'ANSWER_EMPTY'],
  ['no content', answer('', {}, 204), 'status', '204'],
  ['half of the JSON', answer(secret.slice(0, 12)), 'parse', 'ANSWER_INCOMPLETE'],
  ['text', answer('ORA-12170: jdoe'), 'parse', 'ANSWER_NOT_JSON'],
  ['JSON with a syntax error', answer('[{"Product":jdoe}]'), 'parse', 'ANSWER_BAD_JSON'],
  ['an object', answer('{"error":"jdoe"}'), 'schema', 'undefined'],
  [
    'fewer bytes than in Content-Length',
    ({ response }) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write(secret, () => response.destroy());
    },
    'connect',
    'ANSWER_CUT',
  ],
  ['of two lengths', withHeaders('Content-Length: 2', 'Content-Length: 5'), 'parse', 'ANSWER_TWO_LENGTHS'],
  ['of the same length twice', withHeaders('Content-Length: 2', 'Content-Length: 2'), 'parse', 'ANSWER_TWO_LENGTHS'],
  ['of two lengths in one header', withHeaders('Content-Length: 2, 5'), 'parse', 'ANSWER_TWO_LENGTHS'],
  [
    'of a length, and in chunks',
    withHeaders('Content-Length: 2', 'Transfer-Encoding: chunked'),
    'parse',
    'ANSWER_TWO_LENGTHS',
  ],
  [
    'in chunks, and of a length',
    withHeaders('Transfer-Encoding: chunked', 'Content-Length: 2'),
    'parse',
    'HPE_UNEXPECTED_CONTENT_LENGTH',
  ],
  ['of no length', withHeaders('Content-Length: jdoe'), 'parse', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  ['of a bad header', withHeaders('Bad Header: jdoe'), 'parse', 'HPE_INVALID'],
  [
    'chunks without an end',
    ({ response }) => void response.write(secret, () => response.destroy()),
    'connect',
    'ANSWER_CUT',
  ],
];

describe('the body of an answer', () => {
  it.each(wrong)('is %s', async (_, script, kind, code) => {
    const error = await ask('getProducts', script);
    expect({ kind: error.kind, code: String(error.code) }).toEqual({ kind, code });
    expect(error.message).not.toContain('jdoe');
  });

  it.each(['identity', ' Identity ', ''])('may be marked as encoded by %o', async (encoding) => {
    const error = await ask('getProducts', answer('{}', { 'content-encoding': encoding }));
    expect(error.kind).toBe('schema');
  });

  it.each(['getHttpUserName', 'getConcurrentUsers'] as const)(
    'is recognised as a page if %s must return a value',
    async (method) => {
      expect((await ask(method, answer(page))).code).toBe('ANSWER_HTML');
      expect((await ask(method, answer(page + ' '.repeat(100_000)))).code).toBe('ANSWER_HTML');
      expect((await ask(method, answer(''))).code).toBe('ANSWER_EMPTY');
      expect((await ask(method, answer(`1${' '.repeat(65_536)}`))).message).toContain(
        'limit of a bare value: 65536 bytes',
      );
    },
  );
});

it('says that an answer announces two lengths', async () => {
  const error = await ask('getProducts', withHeaders('Content-Length: 2', 'Content-Length: 5'));
  expect(error.message).toBe(
    'the headers of the answer announce two lengths, or are not HTTP: correct the analyzer, or the proxy that adds one (two headers Content-Length, or one beside Transfer-Encoding)',
  );
  const other = await ask('getProducts', withHeaders('Content-Length: jdoe'));
  expect(other.message).toContain('has a Content-Length that is no number, or that contradicts another header');
});

describe('a redirect', () => {
  it.each([
    ['https://sso.example.com/login?user=jdoe#x', 'redirects to https://sso.example.com; redirects are not followed'],
    ['//other:8443/jdoe', 'redirects to http://other:8443;'],
    ['/login?jdoe', 'redirects to another path of the same server;'],
    ['http://[jdoe', 'redirects to an address that is not valid;'],
  ])('to %s shows its destination, without path and query', async (location, words) => {
    const error = await ask('getProducts', answer(page, { location }, 302));
    expect([error.kind, error.code]).toEqual(['status', '302']);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('jdoe');
  });
});

/** Sends a text repeatedly until the client closes the connection. */
function flood(unit: string, seen: { bytes: number; closed?: Promise<unknown> }, open = ''): Script {
  return ({ response, socket }) => {
    const block = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
    seen.closed = new Promise((resolve) => socket.once('close', resolve));
    response.writeHead(200, json).write(open);
    const pump = (): void => {
      while (!response.destroyed && response.write(block)) seen.bytes += block.length;
      seen.bytes += block.length;
    };
    response.on('drain', pump);
    pump();
  };
}

describe('a bomb', () => {
  it.each([
    ['empty arrays', '[],', '[', 'ANSWER_TOO_MANY_ITEMS', 'limit: 250000'],
    ['empty objects', '{},', '[', 'ANSWER_TOO_MANY_ITEMS', 'limit: 250000'],
    ['members', '"a":1,', '{', 'ANSWER_TOO_MANY_MEMBERS', 'limit: 8000000'],
    ['depth', '[', '', 'ANSWER_TOO_DEEP', 'limit: 32'],
    ['white space', ' ', '', 'ANSWER_TOO_LARGE', 'limit of analyzer.max_response_size: 67108864 bytes'],
  ])('of %s is refused when it exceeds the limit, and its connection is closed', async (_, unit, open, code, words) => {
    const seen: { bytes: number; closed?: Promise<unknown> } = { bytes: 0 };
    // a loaded host decodes it slowly
    const error = await ask('getProducts', flood(unit, seen, open), { maxResponseSize: 2 ** 26, timeout: 120 });
    expect({ kind: error.kind, code: error.code }).toEqual({ kind: 'too_large', code });
    expect(error.message).toContain(words);
    await seen.closed;
    expect(seen.bytes).toBeLessThan(2 ** 26 + 2 ** 24);
  });

  it('is refused at the first bytes because of its Content-Length', async () => {
    let bytes: number | undefined;
    const script: Script = ({ response }) => {
      response.writeHead(200, { ...json, 'content-length': 2 ** 40 });
      response.write('[1,');
    };
    const error = await ask('getProducts', script, {
      observe: (observation) => {
        bytes = observation.bytes;
      },
    });
    expect([error.kind, error.code, bytes]).toEqual(['too_large', 'ANSWER_TOO_LARGE', 3]);
  });

  it('is compared with the limit for charts if a chart is requested', async () => {
    const seen = { bytes: 0 };
    const error = await ask('getHistory', flood('1234567,', seen, '['), { maxChartSize: 2 ** 20 });
    expect(error.message).toContain('limit of analyzer.max_chart_size: 1048576 bytes');
    const smaller = await ask('getHistory', flood('1,', seen, '['), {
      maxChartSize: 2 ** 21,
      maxResponseSize: 2 ** 20,
    });
    expect(smaller.message).toContain('limit of analyzer.max_response_size: 1048576 bytes');
    const items = await ask('getHistory', flood('1,', seen, '['));
    expect(items.message).toContain('limit: 5000000');
  });
});

describe('a server that asks clients to wait', () => {
  it('gets no request for that endpoint until the time is over', async () => {
    const server = await startScripted((call) => {
      if (call.token !== '') call.proceed();
      else if (call.request.url?.includes('GetProducts')) call.response.writeHead(429, { 'retry-after': '60' }).end();
      else call.response.end('7');
    });
    const { client } = createClient(server.url);
    cleanup.add(() => server.stop());
    cleanup.add(() => client.close());
    const { signal } = new AbortController();
    const failure = await client.getProducts({}, signal).catch((error: QueryError) => error);
    expect(failure).toMatchObject({ kind: 'throttled', code: '429' });
    const asked = server.log.length;
    expect(await client.getProducts({}, signal).catch((error: QueryError) => error)).toBe(failure);
    expect(server.log).toHaveLength(asked);
    expect(await client.getConcurrentUsers({}, signal)).toBe(7);
  });
});

describe('the charset that an answer declares', () => {
  const names = async (type: string, encode: (text: string) => Buffer): Promise<readonly string[]> => {
    const body = encode('[{"Product":"lic1;TÜR"},{"Product":"lic1;TÖR"}]');
    const server = await startScripted((call) => {
      if (call.token !== '') return call.proceed();
      call.response.writeHead(200, { 'content-type': type });
      // a character may be in two chunks
      for (const byte of body) call.response.write(Buffer.of(byte));
      call.response.end();
    });
    const { client } = createClient(server.url);
    cleanup.add(() => server.stop());
    cleanup.add(() => client.close());
    const { records } = await client.getProducts({}, new AbortController().signal);
    return records.map(({ product }) => product);
  };
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  /** The first two letters of code page 866. */
  const cp866 = (text: string): Buffer => Buffer.from(text.replace('Ü', '\u0080').replace('Ö', '\u0081'), 'latin1');

  it.each([
    ['application/json; charset=iso-8859-1', latin1],
    ['application/json;Charset="Windows-1252"', latin1],
    ['application/json', latin1],
    ['application/json; charset=utf-8', latin1],
    ['application/json; charset=no-such-thing', latin1],
    ['application/json; charset=shift', Buffer.from],
    ['application/json; charset=utf-8', Buffer.from],
  ])('%s: names stay apart', async (type, encode) => {
    expect(await names(type, encode)).toEqual(['lic1;TÜR', 'lic1;TÖR']);
  });

  it('says which characters the bytes are', async () => {
    expect(await names('application/json; charset=cp866', cp866)).toEqual(['lic1;TАR', 'lic1;TБR']);
  });
});
