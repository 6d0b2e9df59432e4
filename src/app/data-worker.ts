import { servePlane } from '../inventory/plane/serve-plane.ts';
import { createFeatureRenderer } from '../metrics/feature-renderer.ts';

/** The thread of the data plane, with the page that it renders. */
servePlane(createFeatureRenderer);
