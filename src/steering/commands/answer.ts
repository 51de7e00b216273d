import { questionLimits } from '../shapes/question.ts';
import { command, type Wording } from './spec.ts';

interface AnswerCommand {
  readonly type: 'answer';
  /** The id of the question's interaction; absent: the one on show. */
  readonly question?: string;
  /** A text, the number of an option, or several numbers. */
  readonly text: string;
}

const named = /^(?<id>question:\d+:\d+)(?=\s|$)\s*/;

/** Answers a question of the agent. */
export const answer = command<AnswerCommand>()({
  usage: '/answer [question] <text or number of an option>',
  summary:
    'Answer the question that the agent asked, so that it can continue. If it offers options, a number is enough: `/answer 2`. ' +
    'If several questions are open, name one: `/answer question:7:12 yes`.',
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
  pointless: ({ why }) => why === 'no_question' || why === 'already_answered',
  refusals: {
    /** Nothing is asked; `named`: not by this name. */
    no_question: ({ named }: { named?: string }, { code, now }) =>
      `${named === undefined ? 'The agent is not asking anything now' : `No question of the agent is called ${code(named)}`}. ${now()}`,
    /** `how` it ended, `reply`: what was answered, if it was. */
    // The first answer counts.
    already_answered: ({ by, how, reply }: { by: string; how: string; reply?: string }, { plain, now }) => {
      const who = by === 'coxswain' ? '' : ` by ${plain(by, 60)}`;
      const what = reply === undefined ? '' : ` (${plain(reply, 500)})`;
      return `This question is settled already: ${plain(how)}${who}${what}. ${now()}`;
    },
    no_such_option: ({ named, options }: { named: string; options: readonly string[] }, wording) =>
      `There is no option ${wording.plain(named, 60)}. ${numbered(options, wording)}`,
    /** Of someone without `write`. */
    options_only: ({ options }: { options: readonly string[] }, wording) =>
      options.length === 0
        ? 'An answer in your own words requires write access to this repository. Ask someone with that permission to answer.'
        : `With your role here you can choose one of the options, not answer in your own words. ${numbered(options, wording)}`,
  },
});

function numbered(options: readonly string[], { code, plain }: Wording): string {
  const lines = options.map((option, nth) => `- **${nth + 1}.** ${plain(option, 250)}`);
  return `Use ${code('/answer')} with the number of one of these:\n\n${lines.join('\n')}`;
}
