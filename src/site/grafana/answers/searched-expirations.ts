import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import { rowOfAnswer } from '../../../exporter/inventory/feature-row.ts';
import type { Backend } from './backend.ts';
import { askAll, type Combination, everyOwner, withNotices } from './combinations.ts';
import { expirationAnswer } from './expiration-answers.ts';
import { isLetThrough } from './feature-answers.ts';
import { knownNow } from './known-data.ts';
import type { TargetAnswer } from './panel-data.ts';
import type { Query } from './query.ts';

/** Expirations including packages and components, which are not polled. */
export async function answerSearchedExpirations(
  search: string,
  raw: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  const { asked: query, inventory } = knownNow(raw, backend);
  const { features } = query.values;
  // the records do not contain the vendor license, so each is requested separately
  const asked = everyOwner(query, inventory, features.length > 0 ? features : ['%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    filters: feature,
    search,
    ...(query.values.package !== undefined && { package: query.values.package }),
  });
  const { answers, ...rest } = await askAll(asked, 'GetExpirationFeatures', parametersOf, backend.upstream, signal);
  const entries = answers
    .flatMap(({ combination, answer }) => {
      const { vendorLicense } = parseVendorLicense(combination.product);
      return answer.records.map((expiration) => rowOfAnswer(vendorLicense, { expiration }));
    })
    .filter((entry) => isLetThrough(query, entry));
  const context = { now: inventory.at, localTime: backend.localTime, owners: backend.owners() };
  return withNotices(rest, await inTurn(() => expirationAnswer(query, { items: entries }, context)));
}
