import type { Row } from '../row.ts';
import { afterTheEnd } from './over.ts';

/** A human said no, in their own words. */
export const rejected: Row<'rejected'> = { says: {}, hears: afterTheEnd };
