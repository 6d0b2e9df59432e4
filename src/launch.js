#!/usr/bin/env node
// Every version of Node reads this file, so that an older one gives a message and not a syntax error: no import statement, no
// import.meta, and no await outside of a function.
const REQUIRED_MAJOR = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < REQUIRED_MAJOR) {
  process.stderr.write(
    `license-exporter needs Node ${REQUIRED_MAJOR} or newer. This is ${process.version}.\n` +
      'Use the archive that has its own Node: license-exporter-*.tar.gz.\n' +
      'In a checkout, run `npm ci`, which installs Node 24 for the npm scripts, and then `npm start`.\n',
  );
  process.exitCode = 1;
} else {
  import('./start.ts');
}
