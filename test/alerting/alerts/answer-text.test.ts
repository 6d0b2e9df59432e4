import { describe, expect, it } from 'vitest';
import { answerText, hideSecrets, oneLine } from '../../../src/alerting/alerts/answer-text.ts';

/** What a receiver answers is shown as it is, but for secrets of the request and what cannot be seen. */

describe('an answer', () => {
  const url = new URL('https://chat.example.com/hooks/T0P%2FS3CRET/xyz-key?sig=a%2Bb.c1%26d&v=2');
  const logon = `Basic ${Buffer.from('me:s3cr3t pw').toString('base64')}`;

  it.each([
    ['the URL', url.href, 'https://chat.example.com<secret>'],
    ['the path', 'Cannot POST /hooks/T0P%2FS3CRET/xyz-key', 'Cannot POST <secret>'],
    ['a part of the path as it was meant, in other letters', 'no t0p/s3cret', 'no <secret>'],
    ['a part of the path in JSON', '{"id":"xyz-key"}', '{"id":"<secret>"}'],
    [
      'the path with escaped slashes',
      String.raw`\/hooks\/T0P%2FS3CRET\/xyz-key`,
      String.raw`\/hooks\/<secret>\/<secret>`,
    ],
    ['a value of the query', 'signature a+b.c1&d', 'signature <secret>'],
    ['the value with its code', 'sig=a%2Bb.c1%26d', 'sig=<secret>'],
    ['the header', `Authorization: ${logon}`, 'Authorization: Basic <secret>'],
    ['the logon', 'me:s3cr3t pw failed', '<secret> failed'],
    ['the password', 'wrong password s3cr3t pw', 'wrong password <secret>'],
    ['words', 'hooks of v2 are gone', 'hooks of v2 are gone'],
  ])('that repeats %s', (_, body, shown) => {
    expect(hideSecrets(body, url, logon)).toBe(shown);
  });

  it('may repeat a token', () => {
    expect(hideSecrets('Bearer abc', new URL('http://hook/'), 'Bearer abc')).toBe('Bearer <secret>');
    expect(hideSecrets('as it was', new URL('http://hook/'), undefined)).toBe('as it was');
  });

  it.each([
    [202, '', '202 Accepted'],
    [200, 'ok', '200 OK, "ok"'],
    [599, ' \n', 'status 599'],
    [400, '<p>\r\n  a\u001b[2J\u202e\0b</p>\n', '400 Bad Request, "<p> a\ufffd[2J\ufffd\ufffdb</p>"'],
    [404, 'x'.repeat(201), `404 Not Found, "${'x'.repeat(200)}…"`],
    [404, 'x'.repeat(200), `404 Not Found, "${'x'.repeat(200)}"`],
  ])('with the status %i and a body is one line', (status, body, shown) => {
    expect(answerText(status, body)).toBe(shown);
  });

  it('is not cut within a character', () => {
    expect(oneLine('a😀', 2)).toBe('a\ufffd…');
  });
});
