import type { Row } from '../row.ts';
import { afterTheEnd } from './over.ts';

/** A human rejected the work, with a reason. */
export const rejected: Row<'rejected'> = { commands: {}, events: afterTheEnd };
