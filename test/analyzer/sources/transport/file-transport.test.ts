import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileTransport } from '../../../../src/analyzer/sources/transport/file-transport.ts';
import type { Transport, TransportSettings } from '../../../../src/analyzer/sources/transport/transport.ts';
import type { TransportHost } from '../../../../src/analyzer/sources/transport/transport-host.ts';
import { createCleanup, eventually } from '../../../support/harness.ts';
import { createFolder, createHost, failureOf, limits, never, openDescriptors } from './tools.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NOW = 1_800_000_000;

function createFile(file: string, settings: Partial<TransportSettings> = {}, host?: TransportHost): Transport {
  const transport = createFileTransport(
    { kind: 'file', file, maxAge: 600, ...limits, ...settings },
    host ?? createHost(cleanup, { now: () => NOW }),
  );
  cleanup.add(() => transport.close());
  return transport;
}

function write(content: string | Uint8Array, age = 10): string {
  const path = join(createFolder(cleanup), 'lmstat.txt');
  writeFileSync(path, content);
  utimesSync(path, NOW - age, NOW - age);
  return path;
}

describe('a file', () => {
  it('is read with its time, and needs no arguments', async () => {
    const path = write('Users of f:\n', 599.5);
    const output = await createFile(path).read(['lmstat', '-a'], never);
    expect(output).toEqual({
      stdout: 'Users of f:\n',
      stderr: '',
      exitCode: undefined,
      at: NOW - 599.5,
      encoding: 'UTF-8',
    });
  });

  it('may be empty, and may be as large as allowed', async () => {
    expect(await createFile(write('')).read([], never)).toMatchObject({ stdout: '' });
    expect(await createFile(write('12345'), { maxOutput: 5 }).read([], never)).toMatchObject({ stdout: '12345' });
  });

  it('is decoded: UTF-8, Latin-1, what PowerShell writes, and a configured encoding', async () => {
    const read = async (bytes: number[], encoding?: string) =>
      (await createFile(write(Uint8Array.from(bytes)), { encoding }).read([], never)).stdout;
    expect(await read([0xc3, 0xa4])).toBe('ä');
    expect(await read([0xe4])).toBe('ä');
    expect(await read([0xff, 0xfe, 0x61, 0, 0xe4, 0])).toBe('aä');
    expect(await read([0xe4], 'cp1250')).toBe('ä');
    expect(await read([0x83, 0x65], 'cp932')).toBe('テ');
  });

  it('is followed when it is replaced by a rename', async () => {
    const path = write('first');
    const transport = createFile(path);
    expect(await transport.read([], never)).toMatchObject({ stdout: 'first' });
    renameSync(write('second'), path);
    expect(await transport.read([], never)).toMatchObject({ stdout: 'second' });
  });
});

describe('a file that gives nothing', () => {
  const of = (path: string, settings?: Partial<TransportSettings>) =>
    failureOf(createFile(path, settings).read([], never));

  it('does not exist', async () => {
    const path = join(createFolder(cleanup), 'none');
    expect(await of(path)).toEqual({
      kind: 'missing_tool',
      message: `the file ${path} does not exist; check the job that writes it: it should write a temporary file in the same directory, and rename that`,
    });
  });

  it('is too old, or newer than now', async () => {
    const old = write('x', 601);
    expect(await of(old)).toEqual({
      kind: 'too_old',
      message: `the file ${old} was written 601 s ago, more than 600 s (max_age); check the job that writes it`,
    });
    expect(await of(write('x', -301))).toMatchObject({
      kind: 'clock',
      message: expect.stringContaining('in the future'),
    });
    expect(await createFile(write('x', -299)).read([], never)).toMatchObject({ stdout: 'x' });
  });

  it('is too large', async () => {
    expect(await of(write('123456'), { maxOutput: 5 })).toMatchObject({
      kind: 'too_large',
      message: expect.stringContaining('has more than 5 bytes'),
    });
  });

  it('is a directory, a FIFO without a writer, a socket or a device: no read hangs', async () => {
    const folder = createFolder(cleanup);
    mkdirSync(join(folder, 'directory'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    const server = createServer().listen(join(folder, 'socket'));
    cleanup.add(() => server.close());
    await eventually('it listens', () => server.listening);
    for (const path of ['directory', 'fifo', 'socket'].map((name) => join(folder, name)).concat('/dev/zero'))
      expect(await of(path)).toEqual({
        kind: 'refused',
        message: `${path} is not a regular file; name a file that contains the output in \`file\``,
      });
  });

  it('may not be read', () => {
    const path = write('x');
    chmodSync(path, 0);
    chmodSync(dirname(path), 0o755);
    const room = join(import.meta.dirname, '../../../../src/analyzer/sources/transport');
    const program = `
      const { createFileTransport } = await import('${room}/file-transport.ts');
      const { createTransportHost } = await import('${room}/transport-host.ts');
      // root may read everything
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const host = createTransportHost({ workFolder: '/none', now: () => 0, onProblem: () => {} });
      const settings = { kind: 'file', maxAge: 600, label: 'a', timeout: 9, maxOutput: 9, file: process.argv[1] };
      await createFileTransport(settings, host).read([], new AbortController().signal).catch((error) => console.log(error.kind, error.message));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program, path], { encoding: 'utf8' });
    expect(said).toBe(
      `refused the file ${path} may not be read by the user of this process; allow it (chmod a+r), and check its directories\n`,
    );
  });

  it('is being written: what may be half of it is not returned', async () => {
    const path = write('x'.repeat(200_000), 0);
    const transport = createFile(path, {}, createHost(cleanup));
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        appendFileSync(path, 'line\n');
        // the job takes turns with the reader
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const { kind, message } = await failureOf(transport.read([], never));
    isWriting = false;
    await writing;
    expect([kind, message]).toEqual(['unparsed', expect.stringContaining('changes while it is read')]);
    expect((await transport.read([], never)).stdout).toMatch(/line\n$/);
  });

  it('has a file system that hangs: a second read does not start before the first has ended', async () => {
    const host = createHost(cleanup, { now: () => NOW });
    let started = 0;
    const hang = Promise.withResolvers<never>();
    const path = write('x');
    const work = host.files.run(
      `${limits.maxOutput} ${path}`,
      () => {
        started += 1;
        return hang.promise;
      },
      { timeoutMs: 60_000, signal: never },
    );
    const failed = failureOf(work);
    const transport = createFile(path, { timeout: 0.1 }, host);
    for (let i = 0; i < 3; i += 1)
      expect(await failureOf(transport.read([], never))).toEqual({
        kind: 'timeout',
        message: `the file ${path} could not be read within 0.1 s; check its file system (NFS)`,
      });
    expect(started).toBe(1);
    const controller = new AbortController();
    const slow = failureOf(createFile(path, {}, host).read([], controller.signal));
    controller.abort();
    expect(await slow).toMatchObject({ kind: 'timeout', message: expect.stringContaining('next collection') });
    hang.reject(new Error('over'));
    await failed;
    expect(await createFile(path, {}, host).read([], never)).toMatchObject({ stdout: 'x' });
  });
});

it('leaves no descriptor', async () => {
  const transport = createFile(write('x'));
  await transport.read([], never);
  const before = openDescriptors();
  for (let i = 0; i < 50; i += 1) await transport.read([], never);
  for (let i = 0; i < 50; i += 1) await failureOf(createFile('/dev/zero').read([], never));
  expect(openDescriptors()).toBeLessThanOrEqual(before);
});
