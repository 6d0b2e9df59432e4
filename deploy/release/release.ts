import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addressesOf, manifest, placeholderLines } from './addresses.ts';
import { releaseNotes } from './changelog.ts';
import { repository } from './dependencies.ts';
import { pushedImage } from './image.ts';
import { CHECKSUMS, signChecksums, signerOf, writeChecksums } from './signature.ts';

/**
 * `npm run release`: makes all files of a release in `build/`, which it empties. `--sign-with=minisign:KEYFILE` or
 * `--sign-with=gpg:FINGERPRINT`, or RELEASE_SIGN_WITH in the environment, signs their checksums.
 */

const build = join(repository, 'build');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const npmRun = (script: string, ...args: readonly string[]): void => {
  execFileSync('npm', ['run', '--silent', script, '--', ...args], { cwd: repository, stdio: 'inherit' });
};

const { values } = parseArgs({ options: { 'sign-with': { type: 'string' } } });
const signWith = values['sign-with'] ?? process.env.RELEASE_SIGN_WITH;
try {
  // mistakes of the call before the work
  const signer = signWith === undefined ? undefined : signerOf(signWith);
  const project = manifest();
  const notes = releaseNotes(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8'), project.version);
  rmSync(build, { recursive: true, force: true });
  npmRun('bundle');
  npmRun('bundle', '--platform', 'win-x64');
  npmRun('sbom');
  const pushed = pushedImage(project.config.image, project.version);
  writeFileSync(join(build, 'release-notes.md'), 'image' in pushed ? `${notes}\nImage: \`${pushed.image}\`\n` : notes);
  writeChecksums(build);
  say(
    signer === undefined
      ? `not signed: pass --sign-with=minisign:KEYFILE or --sign-with=gpg:FINGERPRINT to sign build/${CHECKSUMS}`
      : `signed: build/${signChecksums(build, signer)}`,
  );
  say('image' in pushed ? `image: ${pushed.image}` : `no digest in the release notes: ${pushed.missing}`);
  for (const line of placeholderLines(addressesOf(project))) say(line);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
