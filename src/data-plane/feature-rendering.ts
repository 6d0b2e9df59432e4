import type { RenderFeatures } from '../metrics/exposition.ts';
import type { PlaneThread } from './plane-thread.ts';

/** Renders the features of one exposition in the thread of the data plane. */
export function createFeatureRendering(plane: Pick<PlaneThread, 'render'>): RenderFeatures {
  /** The version of the last update that the exposition has. */
  let base = 0;
  return async (_, enabled, budget) => {
    const { updates, version } = await plane.render({ enabled, budget, base });
    base = version;
    return updates;
  };
}
