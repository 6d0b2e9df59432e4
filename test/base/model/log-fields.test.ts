import { execFileSync } from 'node:child_process';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { OperatorError } from '../../../src/base/model/operator-error.ts';
import { logFields, readableFields } from '../../../src/program/log/log-fields.ts';

/** What the program writes for the fields of a line. */

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

const err = (error: unknown): Record<string, unknown> => logFields({ err: error }).err as Record<string, unknown>;

describe('fields of the log', () => {
  it('have numbers with three decimals at most, at any depth', () => {
    const fields = {
      a: 0.1 + 0.2,
      b: 1.0166666,
      c: 12,
      d: [0.30000000000000004],
      e: { f: 1e9 + 0.0004 },
      g: 'x 1.0166666',
    };
    expect(logFields(fields)).toEqual({ a: 0.3, b: 1.017, c: 12, d: [0.3], e: { f: 1e9 }, g: 'x 1.0166666' });
  });

  it('have times as in ISO 8601', () => {
    const since = new Date(Date.UTC(2026, 10, 18, 9, 30));
    expect(JSON.stringify(logFields({ since }))).toBe('{"since":"2026-11-18T09:30:00.000Z"}');
  });

  it('have the calls in our source for a bug', () => {
    const bug = thrownBy(() => createLocalTime('Nowhere/Nowhere'));
    expect(err(bug)).toEqual({
      type: 'RangeError',
      message: 'Invalid time zone specified: Nowhere/Nowhere',
      stack: [expect.stringMatching(/createLocalTime \(src\/base\/model\/local-time\.ts:\d+\)$/)],
    });
  });

  it('have no stack for operators, the system and the network', async () => {
    const stack = 'OperatorError: set x to y\n    at f (file:///opt/app/src/a/b.ts:12:3)';
    const mistake = Object.assign(new OperatorError('set x to y'), { stack });
    expect(err(mistake)).toEqual({ type: 'OperatorError', message: 'set x to y' });
    const missing = thrownBy(() => execFileSync('/nowhere/nothing'));
    expect(err(missing)).toEqual({ type: 'Error', message: 'spawnSync /nowhere/nothing ENOENT', code: 'ENOENT' });
    const refused = (await request('http://127.0.0.1:1/').catch((error: unknown) => error)) as Error;
    expect(err(refused)).toMatchObject({ code: 'ECONNREFUSED' });
    expect(err(refused)).not.toHaveProperty('stack');
  });

  it('have a stack for a call that Node.js refuses', () => {
    const bug = thrownBy(() => Buffer.alloc('x' as unknown as number));
    expect(err(bug)).toMatchObject({ type: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    expect(err(Object.assign(bug, { stack: 'TypeError: x\n    at file:///opt/app/src/a/b.ts:12:3' })).stack).toEqual([
      'src/a/b.ts:12',
    ]);
  });

  it('have nested causes on one line', () => {
    const inner = Object.assign(new Error('read\nfailed'), { code: 'ECONNRESET' });
    const outer = new Error('request failed', { cause: new Error('socket', { cause: inner }) });
    expect(err(outer)).toMatchObject({ message: 'request failed', cause: 'socket: read failed (ECONNRESET)' });
    expect(err(new AggregateError([inner], 'all failed'))).toMatchObject({ cause: 'read failed (ECONNRESET)' });
    const ring = new Error('a');
    ring.cause = ring;
    expect(err(ring).cause).toBe('a: a: a: a');
  });

  it('have no headers, bodies or secrets of an error', () => {
    const error = Object.assign(new Error('GET https://user:pa55@host/x failed'), {
      headers: { authorization: 'Basic c2VjcmV0' },
      body: 'user=alice',
      data: Buffer.from('alice'),
      cause: Object.assign(new Error('at http://user:pa55@proxy'), { body: 'user=alice' }),
    });
    const text = JSON.stringify(logFields({ err: error }));
    expect(text).not.toMatch(/pa55|c2VjcmV0|alice/);
    expect(text).toContain('GET https://<secret>@host/x failed');
  });

  it('have short messages', () => {
    expect(String(err(new Error('x'.repeat(9999))).message)).toHaveLength(501);
  });

  it('keep what is not an error', () => {
    expect(logFields({ a: null, b: undefined, c: true, err: 'text' })).toEqual({
      a: null,
      b: undefined,
      c: true,
      err: 'text',
    });
  });

  it('have lists on one line for people', () => {
    const fields = {
      endpoints: ['a', 'b'],
      counts: [{ a: 1.00001 }],
      err: new OperatorError('x'),
      deep: { list: [1.00001, 2] },
    };
    expect(readableFields(fields)).toEqual({
      endpoints: 'a, b',
      counts: [{ a: 1 }],
      err: { type: 'OperatorError', message: 'x' },
      deep: { list: '1, 2' },
    });
  });
});
