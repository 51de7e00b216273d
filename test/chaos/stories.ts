import { attempts } from './stories/attempts.ts';
import { decisions } from './stories/decisions.ts';
import { holding } from './stories/holding.ts';
import { resolutions } from './stories/resolutions.ts';
import type { Story } from './story.ts';

export const stories: readonly Story[] = [...decisions, ...attempts, ...holding, ...resolutions];
