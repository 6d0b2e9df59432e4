import type { Log } from '../../base/model/log.ts';
import { createOwners, type OwnerMapping } from '../../base/model/owners.ts';
import type { Config } from './config.ts';
import { createFollowedFile } from './followed-file.ts';
import { readOwnersFile } from './owners-file.ts';

/** Who acts on vendor licenses and features, by the configuration. It follows changes of the file. */
export interface CurrentOwners {
  current(): OwnerMapping;
  /** Applies another configuration. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** @param onChange called when the file has changed what `current` returns */
export function createCurrentOwners(initial: Config, log: Log, onChange: () => void): CurrentOwners {
  let { owners: config } = initial;
  let current = createOwners(config.entries);
  const file = createFollowedFile(config, {
    what: 'owners',
    read: readOwnersFile,
    onChange: (entries) => {
      current = createOwners([...config.own, ...entries]);
      onChange();
    },
    log,
  });
  return {
    ...file,
    current: () => current,
    reload: ({ owners }) => {
      config = owners;
      current = createOwners(owners.entries);
      file.reload(owners);
    },
  };
}
