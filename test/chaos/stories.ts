import { attempts } from './stories/attempts.ts';
import { decisions } from './stories/decisions.ts';
import { holding } from './stories/holding.ts';
import { landing } from './stories/landing.ts';
import { planned } from './stories/planned.ts';
import { resolutions } from './stories/resolutions.ts';
import { reviewed } from './stories/reviewed.ts';
import type { Story } from './story.ts';

export const stories: readonly Story[] = [
  ...[...decisions, ...attempts, ...holding, ...landing, ...resolutions],
  ...[planned, reviewed],
];
