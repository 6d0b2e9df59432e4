#!/usr/bin/env node
// Every version of Node reads this file, so that an older one gives a message and not a syntax error: no import statement, no
// import.meta, and no await outside of a function.
const REQUIRED_MAJOR = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < REQUIRED_MAJOR) {
  process.stderr.write(
    `license-exporter needs Node ${REQUIRED_MAJOR} or newer, this is ${process.version}; without it, use the archive that has ` +
      'its own Node (license-exporter-*.linux-x64.tar.gz), or in a checkout run `npm ci` (it installs Node 24 for the npm ' +
      'scripts) and start with `npm start`\n',
  );
  process.exitCode = 1;
} else {
  import('./start.ts');
}
