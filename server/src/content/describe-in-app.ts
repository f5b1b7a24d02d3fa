/** Describes items by the built-in types and words alone: for whoever has no catalogue of an app. */
import { builtInContent } from './live-content.ts';
import type { DescribedFacts, InAppDescription } from './render-in-app.ts';

export const describeInApp: (facts: DescribedFacts, locale?: string | null) => InAppDescription =
  builtInContent.describe;
