import { questionLimits } from '../questions/question.ts';
import type { CommandSpec } from './spec.ts';

export interface AnswerCommand {
  readonly type: 'answer';
  /** The id of the question's interaction; absent: the one on show. */
  readonly question?: string;
  /** A text, the number of an option, or several numbers. */
  readonly text: string;
}

const named = /^(?<id>question:\d+:\d+)(?=\s|$)\s*/;

/** Answers a question of the agent. */
export const answer: CommandSpec<AnswerCommand> = {
  name: 'answer',
  usage: '/answer [question] <text or number of an option>',
  summary:
    'Answer the question of the agent, which then goes on. With options, their number is enough: `/answer 2`. ' +
    'Where several questions are open, name one: `/answer question:7:12 yes`.',
  // Below that, `answers.by` says who may choose an option.
  needs: 'write',
  example: '1',
  takesRest: true,
  parse: ({ body }) => {
    const id = named.exec(body)?.groups?.['id'];
    const text = body.replace(named, '').trim();
    if (text === '') return { problem: 'it contains no answer' };
    const { length } = [...text];
    if (length > questionLimits.answer)
      return { problem: `an answer has at most ${questionLimits.answer} characters, and this has ${length}` };
    return { type: 'answer', text, ...(id !== undefined && { question: id }) };
  },
  print: ({ question, text }) => [question ?? [], text].flat().join(' '),
};
