/**
 * Sessions that repeat much of what others play, with something failing or somebody attacking each time.
 * `npm run test:long` plays them, so that `npm test` stays short; `.ci/run` plays both.
 */
export const longSessions = [
  // Outages, crashes and crowds.
  'test/action/lost-runner.test.ts',
  'test/action/together.test.ts',
  'test/app/burst.test.ts',
  'test/app/key-rotation.test.ts',
  'test/app/one-bad-thing.test.ts',
  'test/app/outage.test.ts',
  'test/app/permission-kills.test.ts',
  'test/app/rounds.test.ts',
  'test/github/show/budget.test.ts',
  'test/ledger/huge.test.ts',
  'test/ledger/writers.test.ts',
  'test/runs/failing-checks.test.ts',
  'test/runs/missed-pushes.test.ts',
  'test/runs/missed-starts.test.ts',
  'test/runs/missed-words.test.ts',
  'test/runs/reopened.test.ts',
  'test/runs/revoked-token.test.ts',
  'test/runs/sweeping-ended.test.ts',
  'test/runs/unread-words.test.ts',
  // What somebody with write access tries.
  'test/app/attacks.test.ts',
  'test/app/base-attacks.test.ts',
  'test/app/base-readers.test.ts',
  'test/app/claim-attacks.test.ts',
  'test/app/deleted-words.test.ts',
  'test/app/forged-marks.test.ts',
  'test/app/frozen.test.ts',
  'test/app/ledger-attacks.test.ts',
  'test/app/other-pulls.test.ts',
  'test/app/removed-ledger.test.ts',
  'test/app/returned-head.test.ts',
  'test/app/strangers.test.ts',
  'test/app/taken-back.test.ts',
  'test/runs/bases.test.ts',
  'test/runs/contributors.test.ts',
  'test/runs/lost-adopted.test.ts',
  'test/runs/restore-attacks.test.ts',
];
