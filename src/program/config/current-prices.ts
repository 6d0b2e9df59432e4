import type { Log } from '../../base/model/log.ts';
import { createPrices, type Prices } from '../../base/model/prices.ts';
import type { Config } from './config.ts';
import { createFollowedFile } from './followed-file.ts';
import { readPriceFile } from './price-file.ts';

/** The prices of licenses, by the configuration. They follow changes of the file. */
export interface CurrentPrices {
  /** The same object while nothing has changed. */
  current(): Prices;
  /** Applies another configuration. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** The prices of the configuration and of its file, which is read again when it changes. */
export function createCurrentPrices({ prices }: Config, log: Log): CurrentPrices {
  let current = createPrices(prices.entries);
  const file = createFollowedFile(prices, {
    what: 'prices',
    read: readPriceFile,
    onChange: (entries) => {
      current = createPrices(entries);
    },
    log,
  });
  return {
    ...file,
    current: () => current,
    reload: ({ prices: next }) => {
      current = createPrices(next.entries);
      file.reload(next);
    },
  };
}
