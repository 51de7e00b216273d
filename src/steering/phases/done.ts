import type { Row } from '../row.ts';
import { afterTheEnd } from './over.ts';

/** Finished: merged, or closed after it was approved. */
export const done: Row<'done'> = { commands: {}, events: afterTheEnd };
