import { attempts } from './stories/attempts.ts';
import { decisions } from './stories/decisions.ts';
import type { Story } from './story.ts';

export const stories: readonly Story[] = [...decisions, ...attempts];
