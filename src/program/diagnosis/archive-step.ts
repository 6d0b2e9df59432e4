import { databaseOf } from '../../analyzer/archive/archiving.ts';
import { connectArchive } from '../../analyzer/archive/connection.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { good, type Step, warning } from './step.ts';

/** Whether the database of the archive accepts the logon. A daemon works without it, so this is no failure. */
export const archiveStep: Step = {
  name: 'archive',
  exit: 'local',
  needs: [],
  applies: ({ kind, config }) => kind === 'own' && config.storage.archive !== undefined,
  check: async ({
    config: {
      storage: { archive },
    },
    log,
  }) => {
    if (archive === undefined) return good('none');
    try {
      const connection = await connectArchive(databaseOf(archive, log));
      connection.close();
      return good(`${archive.host}:${archive.port} accepts the logon of ${archive.user}`);
    } catch (error) {
      if (error instanceof OperatorError) return warning(error.message);
      throw error;
    }
  },
};
