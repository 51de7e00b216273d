import type { CommandName } from '../../steering/commands/index.ts';

/** A button on a check run. GitHub allows 20 characters for label and identifier, 40 for description. */
export interface Button {
  readonly label: string;
  readonly description: string;
  readonly identifier: ButtonName;
}

/** A command without arguments, `/allow` with one, or an answer by the number of an option. */
export type ButtonName = CommandName | 'allow_once' | 'allow_always' | (typeof answerNames)[number];

export const answerNames = ['answer_1', 'answer_2', 'answer_3'] as const;

/** The command that a button stands for. */
export function commandOf(name: ButtonName): CommandName {
  if (name === 'allow_once' || name === 'allow_always') return 'allow';
  return isAnswer(name) ? 'answer' : name;
}

function isAnswer(name: ButtonName): name is (typeof answerNames)[number] {
  return answerNames.some((each) => each === name);
}

export function button(identifier: ButtonName, label: string, description: string): Button {
  return { label, description, identifier };
}

export const approveIt = button('approve', 'Approve', 'Approve the commit under review');
export const reject = button('reject', 'Reject', 'Asks you why, in a comment');
export const retry = button('retry', 'Retry', 'Try again with a fresh budget');
export const cancel = button('cancel', 'Cancel', 'Stop the run and close it');
