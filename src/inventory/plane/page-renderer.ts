import type { OwnerMapping } from '../../model/owners.ts';
import type { FeatureColumns } from '../feature-columns.ts';

/** What the data plane reads of a request to render; the room of the page adds what it shows. */
export interface PageRendering {
  /** The version of the last update that the page has; 0 for a page that has none. */
  readonly base: number;
  /** The oldest version that is still read. */
  readonly oldestInUse: number;
}

/** A new version of the page. */
export interface PageUpdate {
  readonly version: number;
}

/** Renders generations of features in the thread that holds them. One that threw is not used again. */
export interface PageRenderer<Rendering extends PageRendering, Update extends PageUpdate> {
  /**
   * The slots and texts of the last generation must still exist.
   *
   * @param version larger than that of the last update
   * @param owners the same object as before unless they have changed
   */
  render(columns: FeatureColumns, version: number, rendering: Rendering, owners: OwnerMapping): Update;
}

/** Creates a renderer for a page that has nothing yet, or something else. */
export type CreatePageRenderer<Rendering extends PageRendering, Update extends PageUpdate> = (
  rendering: Rendering,
) => PageRenderer<Rendering, Update>;
