import { runSliced } from '../../base/scheduling/slices.ts';
import { type Block, createBlock } from './block.ts';
import { catalogue } from './catalogue.ts';
import { createFamily, type Family } from './family.ts';
import { buildRowsInSlices, noLabels } from './rows.ts';

/** The figures of a feature. Days are local days of the analyzer, counted from 1970-01-01. */
export interface RightsizingFigures {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
  readonly needed: number | undefined;
  readonly confirmedRunsOut: number | undefined;
}

/** The results of the last pass of right-sizing. */
export interface RightsizingState {
  /** When it was finished, epoch seconds. */
  readonly computedAt: number;
  readonly durationSeconds: number | undefined;
  /** Another array after each pass. */
  readonly rows: readonly RightsizingFigures[];
  /** When a day begins, epoch seconds. */
  startOf(day: number): number;
}

/** The metrics of right-sizing, in slices. */
export function* collectRightsizing({
  rows,
  computedAt,
  durationSeconds,
  startOf,
}: RightsizingState): Generator<void, readonly Family[]> {
  const labels = catalogue.license_feature_needed.labels;
  const features = yield* buildRowsInSlices(labels, rows, ({ vendorLicense, feature, package: pkg, featureType }) => [
    vendorLicense,
    feature,
    pkg,
    featureType,
  ]);
  return [
    createFamily('license_feature_needed', features, (row) => rows[row]?.needed),
    createFamily('license_feature_runs_out_timestamp_seconds', features, (row) => {
      const day = rows[row]?.confirmedRunsOut;
      return day === undefined ? undefined : startOf(day);
    }),
    createFamily('license_rightsizing_last_success_timestamp_seconds', noLabels, () => computedAt),
    createFamily('license_rightsizing_duration_seconds', noLabels, () => durationSeconds),
  ];
}

const isSame = (one: RightsizingState, other: RightsizingState): boolean =>
  one.rows === other.rows && one.computedAt === other.computedAt && one.durationSeconds === other.durationSeconds;

/** About 800 samples: it is rendered at night, in code that has not run for a day. */
const CHUNK_BYTES = 96 * 1024;

/**
 * The block of right-sizing. It is rendered in slices, because it has several samples for each feature, and once for each pass:
 * the results are the same all day.
 */
export class RightsizingBlock {
  #shown: { readonly state: RightsizingState; readonly block: Block; readonly budget: number } | undefined;

  /** @param state `undefined` before the first pass, or if these metrics are off @param budget maximum number of series */
  async render(state: RightsizingState | undefined, budget: number): Promise<Block> {
    if (state === undefined) {
      this.#shown = undefined;
      return createBlock([], budget);
    }
    const shown = this.#shown;
    if (shown !== undefined && isSame(state, shown.state)) {
      const fits = shown.block.isLimited ? shown.budget === budget : shown.block.series <= budget;
      if (fits) return shown.block;
    }
    const block = await createBlock(await runSliced(collectRightsizing(state)), budget, CHUNK_BYTES);
    this.#shown = { state, block, budget };
    return block;
  }
}
