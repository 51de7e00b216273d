import { expect, test } from 'vitest';
import { lostText, mayNotRestoreText, restoredText } from '../../../src/github/words/lost-ledger.ts';
import { startRefusalText } from '../../../src/github/words/starting.ts';
import {
  LedgerBroken,
  LedgerBusy,
  LedgerPutBack,
  LedgerTooNew,
  LedgerVanished,
} from '../../../src/ledger/errors.ts';
import { lossFrom } from '../../../src/runs/restore/loss.ts';
import { awaiting } from '../show/state.ts';

const losses = ['vanished', 'unreadable', 'put_back'] as const;

test('whoever speaks on a run whose ledger is lost hears what is wrong, and the next step', () => {
  const said = [
    ...losses.map((loss) => lostText(loss, 12)),
    lostText('too_new', 12),
    mayNotRestoreText('vanished', 12, 'triage'),
    startRefusalText({ why: 'ledger_lost', what: 'ledger of #12: it has vanished' }),
  ];
  expect(said.join('\n')).toMatchInlineSnapshot(`
    "The ledger of this run is gone: neither \`refs/coxswain/open/12\` nor \`refs/coxswain/closed/12\` is there. The run is paused and its approvals are void; \`/resume\`, said with write access, starts a new ledger from what this pull request remembers.
    The ledger of this run, \`refs/coxswain/open/12\`, is not what Coxswain wrote. The run is paused and its approvals are void; \`/resume\`, said with write access, starts a new ledger from what this pull request remembers.
    The ledger of this run, \`refs/coxswain/open/12\`, is older than what this pull request shows: somebody put an earlier commit back. The run is paused and its approvals are void; \`/resume\`, said with write access, starts a new ledger from what this pull request remembers.
    The ledger of this run, \`refs/coxswain/open/12\`, was written by a newer Coxswain than the one that answers here. Nothing is done until whoever runs it has upgraded it; then say it again.
    \`/resume\` takes write on this repository, and you have triage. The ledger of this run is gone: neither \`refs/coxswain/open/12\` nor \`refs/coxswain/closed/12\` is there. The run is paused and its approvals are void; \`/resume\`, said with write access, starts a new ledger from what this pull request remembers.
    There is a run already, but it cannot be gone on with: ledger of #​12: it has vanished. A command on its pull request tells how to mend that."
  `);
});

test('whoever had it begun anew hears from what, and what no longer counts', () => {
  const said = losses.map((lost) => restoredText(lost, awaiting()));
  expect(said.join('\n')).toMatchInlineSnapshot(`
    "The run's ledger was gone, so a new one is begun from what this pull request remembers, up to iteration 0. No approval given before counts, and the head is verified anew.
    The run's ledger was not what Coxswain wrote, so a new one is begun from what this pull request remembers, up to iteration 0. No approval given before counts, and the head is verified anew. What stood there is kept under \`refs/coxswain/broken/12-*\`.
    The run's ledger had been put back to an earlier commit, so a new one is begun from what this pull request remembers, up to iteration 0. No approval given before counts, and the head is verified anew. What stood there is kept under \`refs/coxswain/broken/12-*\`."
  `);
});

test('a loss is told from a ledger that is only busy', () => {
  const faults = [
    new LedgerVanished('gone'),
    new LedgerPutBack('older'),
    new LedgerBroken('no JSON'),
    new LedgerTooNew('version 2'),
    new LedgerBusy('too late'),
  ];
  expect(faults.map(lossFrom)).toEqual(['vanished', 'put_back', 'unreadable', 'too_new', undefined]);
});
