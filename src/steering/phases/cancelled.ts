import type { Row } from '../row.ts';
import { afterTheEnd } from './over.ts';

/** Ended without a verdict on the work. */
export const cancelled: Row<'cancelled'> = { commands: {}, events: afterTheEnd };
