import type { Fields } from './field.ts';

/** Records of users are never merged, are not metrics, and are not polled. */
const unmerged = { unknown: 'never', merge: 'none', isUsage: false, isNeeded: false, metric: 'none' } as const;

/** Section 2.3, the records of GetUsers. */
export const userFields = {
  UserName: { ...unmerged, type: 'text', meaning: 'User that holds or waits for licenses.' },
  UserHost: { ...unmerged, type: 'text', meaning: 'Host of the user.' },
  UserDisplay: { ...unmerged, type: 'text', meaning: 'Display of the user; empty for one that waits.' },
  UsageTime: {
    ...unmerged,
    type: 'time',
    unit: 'epoch seconds',
    unknown: 'absent',
    meaning: 'Time of the checkout, or since when the user waits.',
  },
  LicenseHandle: { ...unmerged, type: 'text', meaning: 'Handle of the checkout, or undef.' },
  ShareHandle: { ...unmerged, type: 'text', meaning: 'Handle of what is shared, or undef.' },
  UsedLicenses: { ...unmerged, type: 'count', unit: 'licenses', meaning: 'Licenses held.' },
  QueuedLicenses: { ...unmerged, type: 'count', unit: 'licenses', meaning: 'Licenses waited for.' },
  BorrowedLicenses: { ...unmerged, type: 'count', unit: 'licenses', unknown: 'absent', meaning: 'Licenses borrowed.' },
  LicenseModelStatus: {
    ...unmerged,
    type: 'text',
    unknown: 'absent',
    meaning: 'active, inactive, borrowed or queued.',
  },
  app_status: {
    ...unmerged,
    type: 'scalar',
    unknown: 'null',
    meaning: '0 inactive, 1 active, 2 suspended, 3 terminated, 4 blocked.',
  },
  app_duration: {
    ...unmerged,
    type: 'scalar',
    unit: 'seconds',
    unknown: 'null',
    meaning: 'Seconds in that status.',
  },
  license_model: { ...unmerged, type: 'text', meaning: 'concurrent, token or named.' },
  DisplayName: { ...unmerged, type: 'text', unknown: 'null', meaning: 'Full name of the user.' },
  Mapped: { ...unmerged, type: 'scalar', unknown: 'null', meaning: 'Application the feature belongs to.' },
  Server: {
    ...unmerged,
    type: 'text',
    unknown: 'absent',
    meaning:
      'License server that can take the checkout back, flexnet:PORT@HOST or rlm:PORT@HOST/ISV. Not in the specification.',
  },
  Until: {
    ...unmerged,
    type: 'time',
    unit: 'epoch seconds',
    unknown: 'absent',
    meaning:
      'Latest time at which the server takes the checkout back: the end of a borrowed one. Not in the specification.',
  },
} as const satisfies Fields;
