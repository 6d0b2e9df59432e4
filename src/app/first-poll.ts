import type { Inventory } from '../inventory/inventory.ts';
import type { Log } from '../model/log.ts';

/**
 * Logs the line that an operator waits for at the start: whether the data is there, and which page to open. The address is in the
 * sentence, because people read it.
 *
 * @param url of the first page
 */
export function logFirstPoll(inventory: Inventory | undefined, url: string, log: Log): void {
  if (inventory === undefined || !inventory.up) {
    log.warn({}, `the first poll failed: open ${url} for the reason, or run license-exporter doctor`);
    return;
  }
  const { vendorLicenses, features } = inventory;
  log.info({ vendorLicenses: vendorLicenses.length, features: features.count }, `ready: open ${url}`);
}
