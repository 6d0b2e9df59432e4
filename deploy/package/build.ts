import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run build`: the program as JavaScript in `dist/`, which is what the npm package and the archives contain.
 * `node deploy/package/build.ts FOLDER` builds it there.
 */

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src');
const target = resolve(root, process.argv[2] ?? 'dist');

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/**
 * What is built, for `--version` and `license_exporter_build_info`. SOURCE_REVISION and SOURCE_BRANCH name it where there is
 * no repository, as in a container. What is not known is empty.
 */
function identity(): { revision: string; branch: string } {
  const { SOURCE_REVISION: revision = '', SOURCE_BRANCH: branch = '' } = process.env;
  // git would find a repository further up, which is another one
  if (revision !== '' || !existsSync(join(root, '.git'))) return { revision, branch };
  return {
    // ends with -dirty if a file differs from the commit
    revision: git('describe', '--always', '--abbrev=40', '--exclude=*', '--dirty'),
    branch: git('rev-parse', '--abbrev-ref', 'HEAD'),
  };
}

// what is there is replaced when the new one is whole: others may start it, or pack it, meanwhile
mkdirSync(join(root, 'build'), { recursive: true });
const work = mkdtempSync(join(root, 'build', 'dist-'));
const dist = join(work, 'new');
try {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.build.json', '--outDir', dist], {
    cwd: root,
    stdio: 'inherit',
  });
  // the compiler would make a module of it, which an old Node refuses before it can say so
  writeFileSync(
    join(dist, 'launch.js'),
    readFileSync(join(source, 'launch.js'), 'utf8').replace('./start.ts', './start.js'),
  );
  for (const asset of globSync('**/*.{css,svg}', { cwd: source }).concat('base/html/refresh.js'))
    cpSync(join(source, asset), join(dist, asset));
  writeFileSync(join(dist, 'build.json'), `${JSON.stringify(identity())}\n`);
  try {
    if (existsSync(target)) renameSync(target, join(work, 'old'));
  } catch (error) {
    // an overlay file system renames no folder of a lower layer
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    rmSync(target, { recursive: true });
  }
  renameSync(dist, target);
} finally {
  rmSync(work, { recursive: true, force: true });
}
