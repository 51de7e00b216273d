import { discount } from './discount.ts';
import { flaky } from './flaky.ts';
import { plan } from './plan.ts';
import { question } from './question.ts';
import { queue } from './queue.ts';
import { replace } from './replace.ts';
import type { Story } from './story.ts';
import { upgrade } from './upgrade.ts';

/** They stand in the order of their issues. */
export const stories: readonly Story[] = [discount, flaky, upgrade, question, replace, plan, queue];
