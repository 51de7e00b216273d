import type { AskedCall } from '../../steering/attempt-result.ts';
import type { CommandName } from '../../steering/commands/index.ts';
import { rulesToAllow } from '../../steering/permission/held-work.ts';
import { rulesOf } from '../../steering/permission/tool-calls.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';

/** A button on a check run. GitHub allows 20 characters for label and identifier, 40 for description. */
export interface Button {
  readonly label: string;
  readonly description: string;
  readonly identifier: ButtonName;
}

/** A command without arguments, or `/allow` with one. */
export type ButtonName = CommandName | 'allow_once' | 'allow_always';

/** At most three, all for commands available now. Only an App receives clicks. */
export function buttonsOf(state: State): readonly Button[] {
  if (state.run.presenter !== 'app') return [];
  const possible = possibleIn(state);
  return wanted(state).filter(({ identifier }) => possible.includes(commandOf(identifier)));
}

function commandOf(name: ButtonName): CommandName {
  return name === 'allow_once' || name === 'allow_always' ? 'allow' : name;
}

const approve: Button = {
  label: 'Approve',
  description: 'Approve the commit under review',
  identifier: 'approve',
};
const reject: Button = {
  label: 'Reject',
  description: 'Asks you why, in a comment',
  identifier: 'reject',
};
const again: Button = {
  label: 'Try again',
  description: 'Another attempt at this iteration',
  identifier: 'retry',
};
const retry: Button = { label: 'Retry', description: 'Try again with a fresh budget', identifier: 'retry' };
const cancel: Button = { label: 'Cancel', description: 'Stop the run and close it', identifier: 'cancel' };

const allowOnce: Button = {
  label: 'Allow once',
  description: 'Push this work to the branch',
  identifier: 'allow_once',
};
const allowAlways: Button = {
  label: 'Always',
  description: 'Push it, and do not ask this again',
  identifier: 'allow_always',
};
const deny: Button = { label: 'Deny', description: 'Keep it off the branch', identifier: 'deny' };

/** For an agent that waits before a tool call. */
function answers(call: AskedCall): readonly Button[] {
  const once = { ...allowOnce, description: 'Let the agent do this' };
  const always = { ...allowAlways, description: 'And do not ask this again' };
  const no = { ...deny, description: 'The agent goes on without' };
  return rulesOf(call).length > 0 ? [once, always, no] : [once, no];
}

function wanted({ standing }: State): readonly Button[] {
  switch (standing.phase) {
    case 'working':
      return standing.asking === undefined ? [cancel] : answers(standing.asking.call);
    case 'queued':
    case 'verifying':
      return [cancel];
    case 'awaiting_approval':
      return [approve, reject, again];
    case 'awaiting_permission':
      return rulesToAllow(standing.held).length > 0 ? [allowOnce, allowAlways, deny] : [allowOnce, deny];
    case 'awaiting_resolution':
    case 'failed':
      return [retry];
    case 'paused':
    case 'approved':
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'timed_out':
      return [];
  }
}
