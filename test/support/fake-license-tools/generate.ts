import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createLargeSite } from '../license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../license-site/render-lmstat.ts';
import { renderRlmstat } from '../license-site/render-rlmstat.ts';
import { createFakeSite } from './fake-site.ts';

/**
 * Writes a site for the fake tools, with the time of now, and again every minute, so that the whole chain can be tried by hand:
 *
 *     node test/support/fake-license-tools/generate.ts /tmp/site --features 20 --users 10
 *     FAKE_LICENSE_SITE=/tmp/site test/support/fake-license-tools/fake-lmutil lmstat -a -c 27000@localhost
 *     FAKE_LICENSE_SITE=/tmp/site test/support/fake-license-tools/fake-rlmutil rlmstat -a -c 5053@localhost
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    features: { type: 'string', default: '20' },
    users: { type: 'string', default: '10' },
    host: { type: 'string', default: 'localhost' },
    'time-zone': { type: 'string', default: 'UTC' },
    once: { type: 'boolean', default: false },
  },
});
const [folder = '/tmp/fake-license-site'] = positionals;
const site = createFakeSite(folder);
const localTime = createLocalTime(values['time-zone']);
const size = { features: Number(values.features), users: Number(values.users), host: values.host };

function write(): void {
  const now = Math.floor(Date.now() / 1000);
  const flexnet = createLargeSite({ ...size, now, port: 27_000, daemon: 'flexd' });
  site.print(`27000@${values.host}`, renderLmstat(flexnet, localTime));
  site.print(`27000@${values.host}`, renderLmstatInventory(flexnet, localTime), 'i');
  site.print(
    `5053@${values.host}`,
    renderRlmstat(createLargeSite({ ...size, now, port: 5053, daemon: 'acme' }), localTime),
  );
}

write();
while (!values.once) {
  // the tools print the time of the last writing
  await setTimeout(60_000);
  write();
}
