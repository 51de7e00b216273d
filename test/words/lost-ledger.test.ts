import { expect, test } from 'vitest';
import {
  LedgerBroken,
  LedgerBusy,
  LedgerPutBack,
  LedgerTooNew,
  LedgerVanished,
} from '../../src/ledger/errors.ts';
import { lossFrom } from '../../src/runs/run/lost-run.ts';
import { lostText, mayNotAdoptText, restoredText } from '../../src/words/own-faults.ts';
import { startRefusalText } from '../../src/words/start-texts.ts';
import { awaiting } from '../github/show/state.ts';

const losses = ['vanished', 'unreadable', 'put_back'] as const;

test('the reply on a run with a lost ledger says what is wrong, and the next step', () => {
  const said = [
    ...losses.map((loss) => lostText({ loss }, 12)),
    lostText({ loss: 'unsealed' }, 12),
    lostText({ loss: 'lost_key', key: 'old' }, 12),
    lostText({ loss: 'too_new' }, 12),
    mayNotAdoptText({ loss: 'vanished' }, 12, 'triage'),
    startRefusalText(
      { why: 'ledger_lost', what: 'ledger of #12: it no longer exists' },
      'https://github.com/acme/api',
    ),
  ];
  expect(said.join('\n')).toMatchInlineSnapshot(`
    "The ledger of this run is missing: neither \`refs/coxswain/open/12\` nor \`refs/coxswain/closed/12\` exists. The run is paused and its approvals are void; someone with the maintain role can use \`/resume\` to start it over from what is on this branch.
    The ledger of this run, \`refs/coxswain/open/12\`, is not a valid Coxswain ledger. The run is paused and its approvals are void; someone with the maintain role can use \`/resume\` to start it over from what is on this branch.
    The ledger of this run, \`refs/coxswain/open/12\`, is older than what this pull request shows: someone reset it to an earlier commit. The run is paused and its approvals are void; someone with the maintain role can use \`/resume\` to start it over from what is on this branch.
    The ledger of this run, \`refs/coxswain/open/12\`, is not sealed: it was written by someone else or by an older version of Coxswain. The run is paused and its approvals are void. If it is from before an upgrade, the operator can seal it with \`coxswain seal\`; otherwise, someone with the maintain role can use \`/resume\` to start it over from what is on this branch.
    The ledger of this run, \`refs/coxswain/open/12\`, is sealed with the key \`old\`, which the operator has declared lost. The run is paused and its approvals are void; someone with the maintain role can use \`/resume\` to start it over from what is on this branch.
    The ledger of this run, \`refs/coxswain/open/12\`, was written by a newer version of Coxswain than the one installed here. The run waits until Coxswain is upgraded; after that, send the command again.
    Starting a run over requires maintain access to this repository, but your role is triage. The ledger of this run is missing: neither \`refs/coxswain/open/12\` nor \`refs/coxswain/closed/12\` exists. The run is paused and its approvals are void; someone with the maintain role can use \`/resume\` to start it over from what is on this branch.
    There is already a run, but it cannot continue: ledger of #​12: it no longer exists. Use any command on its pull request to see how to fix that."
  `);
});

test('whoever writes the id of a key cannot write anything else on the pull request', () => {
  const key = 'x`@ada,<b>**see**https://evil.example/a-long-address-of-theirs';
  const text = lostText({ loss: 'lost_key', key }, 12);
  expect(text).toContain('the key ``x`@ada,<b>**see**https://evil.example/a…``, which');
});

test('the reply to /resume quotes the task, and says what no longer counts', () => {
  const said = losses.map((lost) => restoredText(lost, awaiting()));
  expect(said.join('\n')).toMatchInlineSnapshot(`
    "The run's ledger was missing, so the run starts over from what is on this branch. Earlier approvals no longer count, and the head is being verified. The task is now:

    > Fix the login
    >
    > It fails on Mondays.

    If the task should be different, say so with \`/steer\`.
    The run's ledger could not be verified, so the run starts over from what is on this branch. Earlier approvals no longer count, and the head is being verified. The old one is kept under \`refs/coxswain/broken/12-*\`. The task is now:

    > Fix the login
    >
    > It fails on Mondays.

    If the task should be different, say so with \`/steer\`.
    The run's ledger had been reset to an earlier commit, so the run starts over from what is on this branch. Earlier approvals no longer count, and the head is being verified. The old one is kept under \`refs/coxswain/broken/12-*\`. The task is now:

    > Fix the login
    >
    > It fails on Mondays.

    If the task should be different, say so with \`/steer\`."
  `);
});

test('a loss is distinguished from a ledger that is only busy', () => {
  const faults = [
    new LedgerVanished('gone'),
    new LedgerPutBack('older'),
    new LedgerBroken('no JSON'),
    new LedgerTooNew('version 2'),
    new LedgerBusy('too late'),
  ];
  expect(faults.map((fault) => lossFrom(fault)?.loss)).toEqual([
    'vanished',
    'put_back',
    'unreadable',
    'too_new',
    undefined,
  ]);
});
