import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rootWarning } from '../../../../src/analyzer/sources/transport/tool-check.ts';
import { createCleanup } from '../../../support/harness.ts';
import { createFolder, createHost, createTool, failureOf, never, nodeScript, writeTool } from './tools.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const linux = process.platform === 'linux' && process.arch === 'x64';

/** A small program for x86-64 that needs a loader: only its headers. */
function elf(loader: string, machine = 62): Uint8Array {
  const bytes = Buffer.alloc(64 + 56 + loader.length + 1);
  bytes.write('\u007fELF\u0002\u0001\u0001', 'latin1');
  bytes.writeUInt16LE(2, 16);
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(0x400078n, 24);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(64, 52);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(3, 64);
  bytes.writeUInt32LE(4, 68);
  bytes.writeBigUInt64LE(120n, 72);
  bytes.writeBigUInt64LE(BigInt(loader.length + 1), 96);
  bytes.write(`${loader}\0`, 120, 'latin1');
  return bytes;
}

/** The failure of a tool in a private directory, with the directory left out of the sentence. */
async function failureOfTool(
  write: (folder: string) => string,
  settings: Parameters<typeof createTool>[3] = {},
): Promise<string> {
  const folder = createFolder(cleanup);
  const transport = createTool(cleanup, createHost(cleanup), write(folder), settings);
  const { kind, message } = await failureOf(transport.read([], never));
  return `${kind}: ${message.replaceAll(folder, '/opt')}`;
}

describe('a tool that cannot be run', () => {
  it('does not exist', async () => {
    expect(await failureOfTool((folder) => join(folder, 'lmutil'))).toBe(
      'missing_tool: /opt/lmutil does not exist; install the tool, or correct the path in `command`. A unit of systemd may hide /tmp: move the tool, or see sources.conf',
    );
  });

  it('is searched for in no PATH', async () => {
    expect(await failureOfTool(() => 'lmutil')).toBe(
      'not_executable: lmutil is not an absolute path; write the whole path in `command`',
    );
  });

  it('is a directory', async () => {
    expect(await failureOfTool((folder) => folder)).toContain('not_executable: /opt is a directory');
  });

  it('may not be executed', async () => {
    const message = await failureOfTool((folder) => writeTool(folder, 'lmutil', nodeScript(''), 0o644));
    expect(message).toContain('not_executable: /opt/lmutil may not be executed by the user of this process; allow it');
  });

  it.each([
    ['the file, by all', 0o757, 0o755, '/opt/bin/lmutil'],
    ['its directory, by all', 0o755, 0o757, '/opt/bin'],
  ])('may be replaced by others: %s', async (_what, mode, directoryMode, named) => {
    const write = (folder: string): string => {
      mkdirSync(join(folder, 'bin'));
      const tool = writeTool(join(folder, 'bin'), 'lmutil', nodeScript('console.log(1)'), mode);
      chmodSync(join(folder, 'bin'), directoryMode);
      return tool;
    };
    const sentence = `is not run, because other users may write ${named} and so replace the tool; forbid it (chmod go-w ${named})`;
    expect(await failureOfTool(write)).toBe(`not_executable: /opt/bin/lmutil ${sentence}`);
  });

  it('may be replaced through a link in a directory of others, but not in one like /tmp', async () => {
    const folder = createFolder(cleanup);
    const tool = writeTool(folder, 'lmutil', nodeScript('console.log("up")'));
    const links = join(folder, 'links');
    mkdirSync(links);
    symlinkSync(tool, join(links, 'lmutil'));
    const transport = createTool(cleanup, createHost(cleanup), join(links, 'lmutil'));
    chmodSync(links, 0o777);
    expect(await failureOf(transport.read([], never))).toMatchObject({ kind: 'not_executable' });
    chmodSync(links, 0o1777);
    expect(await transport.read([], never)).toMatchObject({ stdout: 'up\n' });
  });

  it.runIf(linux)(
    'needs a loader that does not exist: the sentence names the one of lmutil and its package',
    async () => {
      const loader = '/lib64/ld-lsb-x86-64.so.3';
      const tool = (folder: string) => writeTool(folder, 'lmutil', elf(loader));
      expect(await failureOfTool(tool)).toBe(
        `loader: /opt/lmutil exists, but the program that loads it, ${loader}, does not; install the package lsb (lsb-core on Debian, redhat-lsb-core on Red Hat), or create it with: ln -s ld-linux-x86-64.so.2 ${loader}`,
      );
    },
  );

  it.runIf(linux)('is a real program whose loader does not exist', async () => {
    const folder = createFolder(cleanup);
    const name = /\/lib64\/ld-linux-x86-64\.so\.2\0/.exec(readFileSync('/bin/true', 'latin1'));
    const content = readFileSync('/bin/true', 'latin1');
    const changed = content.replace(name?.[0] ?? 'unreachable', '/lib64/ld-none-x86-64.so.2\0');
    const tool = writeTool(folder, 'true', Buffer.from(changed, 'latin1'));
    const { kind, message } = await failureOf(createTool(cleanup, createHost(cleanup), tool).read([], never));
    expect([kind, message]).toEqual(['loader', expect.stringContaining('/lib64/ld-none-x86-64.so.2, does not;')]);
  });

  it('is a script whose interpreter does not exist', async () => {
    expect(await failureOfTool((folder) => writeTool(folder, 'lmstat', '#! /opt/none/perl -w\nprint 1;\n'))).toBe(
      'loader: /opt/lmstat is a script for /opt/none/perl, which does not exist; install it, or correct the #! line of the script',
    );
  });

  it('is a script with the line ends of Windows', async () => {
    expect(await failureOfTool((folder) => writeTool(folder, 'lmstat', '#!/bin/sh\r\necho 1\r\n'))).toContain(
      'loader: /opt/lmstat is a script with the line ends of Windows; convert it',
    );
  });

  it('is a script whose interpreter env does not find', async () => {
    const message = await failureOfTool((folder) => writeTool(folder, 'lmstat', '#!/usr/bin/env no-such-python\n'));
    expect(message).toContain('loader: /opt/lmstat is a script whose interpreter is not in PATH (/usr/local/sbin:');
  });

  it.runIf(linux)('is a script without a #! line, or nothing: no shell gets it', async () => {
    const sentence = 'is neither a program of this system nor a script with a #! line';
    for (const content of ['echo "Users of f"\n', '', 'MZ\u0090\0'])
      expect(await failureOfTool((folder) => writeTool(folder, 'lmstat', content))).toContain(
        `not_executable: /opt/lmstat ${sentence}`,
      );
  });

  it.runIf(linux)('is a program for another machine', async () => {
    expect(await failureOfTool((folder) => writeTool(folder, 'lmutil', elf('/lib/ld.so', 183)))).toBe(
      'not_executable: /opt/lmutil is a program for another machine (ARM, 64 bits, this host is x64); install the tool for this host',
    );
  });

  it('needs a library that does not exist', async () => {
    const script = nodeScript(
      'console.error("lmutil: error while loading shared libraries: libstdc++.so.5: cannot open shared object file"); process.exit(127)',
    );
    expect(await failureOfTool((folder) => writeTool(folder, 'lmutil', script))).toBe(
      'loader: /opt/lmutil needs the library libstdc++.so.5, which does not exist here; install the package that contains it',
    );
  });

  it('gets its working directory again after it vanished, and fails without one', async () => {
    const folder = createFolder(cleanup);
    const host = createHost(cleanup);
    const transport = createTool(cleanup, host, writeTool(folder, 'pwd', nodeScript('console.log(process.cwd())')));
    await transport.read([], never);
    rmSync(host.folder, { recursive: true });
    expect((await transport.read([], never)).stdout).toContain(host.folder);
    rmSync(host.folder, { recursive: true });
    writeFileSync(host.folder, '');
    expect(await failureOf(transport.read([], never))).toEqual({
      kind: 'not_executable',
      message: expect.stringContaining(`cannot be created: ${host.folder} is not a directory; remove it`),
    });
  });

  it('is ended by a signal: its output is not used', async () => {
    const script = nodeScript('require("fs").writeSync(1, "half"); process.kill(process.pid, "SIGSEGV")');
    expect(await failureOfTool((folder) => writeTool(folder, 'lmutil', script))).toContain(
      'exit: /opt/lmutil was ended by the signal SIGSEGV',
    );
  });

  it('prints too much on both outputs together', async () => {
    const script = nodeScript(
      'require("fs").writeSync(1, "x".repeat(600)); require("fs").writeSync(2, "x".repeat(401))',
    );
    const message = await failureOfTool((folder) => writeTool(folder, 'lmutil', script), { maxOutput: 1000 });
    expect(message).toContain('too_large: /opt/lmutil printed more than 1000 bytes and was stopped');
  });

  it('is a copy of a program that works, which shows that the checks above are about what they name', async () => {
    const folder = createFolder(cleanup);
    copyFileSync('/bin/true', join(folder, 'true'));
    chmodSync(join(folder, 'true'), 0o755);
    const output = await createTool(cleanup, createHost(cleanup), join(folder, 'true')).read([], never);
    expect(output).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
  });
});

it('warns of tools that run as root', () => {
  expect([rootWarning(1000), rootWarning(undefined), rootWarning(0)]).toEqual([
    undefined,
    undefined,
    expect.stringContaining('run as root'),
  ]);
});
