/**
 * Outages, crashes and crowds: sessions that repeat much of what others play, with something failing each
 * time. `npm run test:long` plays them, so that `npm test` stays short.
 */
export const longSessions = [
  'test/app/burst.test.ts',
  'test/app/one-bad-thing.test.ts',
  'test/app/outage.test.ts',
  'test/app/permission-kills.test.ts',
  'test/app/rounds.test.ts',
  'test/github/show/budget.test.ts',
];
