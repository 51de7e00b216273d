/** How we speak of keys that later versions bring: known, and honestly refused until then. */
export const notYet = 'not available in this version yet';
