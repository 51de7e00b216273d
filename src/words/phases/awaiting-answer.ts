import { usualQuestions } from '../../steering/shapes/question.ts';
import { isAskingHuman, type OpenQuestion } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { setDurationText } from '../../text/amounts.ts';
import { beginningOf, visible } from '../../text/characters.ts';
import { answerersOf, whoText } from '../parts/approval-texts.ts';
import { closing, goesOnWith, parkedText, unansweredText } from '../parts/asking-texts.ts';
import { commandList } from '../parts/common-phrases.ts';
import {
  code,
  type Format,
  inertTitle,
  markdown,
  type Part,
  paragraphs,
  plain,
  quoted,
  said,
  timeText,
} from '../parts/sanitize.ts';
import { answerNames, type Button, button, type PhaseWords } from './row.ts';

/** What people read of what an agent wants to know, whether it is held or was stopped. */
export const awaitingAnswer: PhaseWords<'awaiting_answer'> = {
  title: questionTitle,
  summary: questionSummary,
  status: (state) => [`Deadline: ${timeText(state.standing.deadline)}; then ${unansweredText(state)}`],
  missing: (state, format) => [
    `${answering(state, format)}, until ${timeText(state.standing.deadline)}; then ${unansweredText(state)}`,
  ],
  ask: (state, web) => {
    const count = state.questions?.length ?? 0;
    return paragraphs([
      `### The agent asks ${count > 1 ? `${count} questions` : 'a question'}`,
      ...questionSummary(state),
      commandList(state),
      ...closing(state, web),
    ]);
  },
  result: () => 'action_required',
  buttons: ({ questions = [] }) => choices(questions),
  tone: 'warning',
};

/** Says who may answer, as a part of a sentence. */
export function answering({ settings }: State, format: Format): string {
  return `${format.name('/answer')} by ${whoText(answerersOf(settings), format)}`;
}

/** The first options of the question that is shown. */
function choices([open]: readonly OpenQuestion[]): readonly Button[] {
  const { options = [], multiple, default: preferred } = open?.asked ?? {};
  return answerNames.flatMap((name, nth) => {
    const option = options[nth];
    if (option === undefined) return [];
    const how = multiple ? 'Answer with this option only' : 'Answer with this option';
    const description = option === preferred ? 'The agent would choose this, too' : how;
    return [button(name, optionLabel(option, nth + 1), description)];
  });
}

/** Says what an agent wants to know, what becomes of it, and how to answer, for somebody new to it. */
function questionSummary(state: State): readonly Part[] {
  const { questions = [] } = state;
  return [
    ...questions.flatMap((open, nth) => oneQuestion(open, questions.length > 1 ? nth + 1 : undefined)),
    howText(questions),
    whoAnswersText(state),
    waitText(state),
    parkedText(state),
    recordedText(state),
  ];
}

/** Text of an agent is no Markdown where it is a line of ours, and cannot break out where it is a quote. */
function oneQuestion({ asked, suggestion }: OpenQuestion, number: number | undefined): readonly Part[] {
  const { question, context, options = [], multiple, default: preferred } = asked;
  const lines = options.map((option, nth) => `- **${nth + 1}.** ${plain(option, 250)}`);
  return [
    number !== undefined && `**Question ${number}**`,
    quoted(question),
    context && `It adds:\n\n${quoted(context)}`,
    lines.length > 0 &&
      `${multiple ? 'Options (you can choose several)' : 'Options'}:\n\n${lines.join('\n')}`,
    preferred && `The agent would choose: ${preferredText(preferred, options)}.`,
    suggestion &&
      `Answered before, in other circumstances: "${plain(suggestion.answer, 500)}" by ${plain(suggestion.by, 60)}.`,
  ];
}

function preferredText(preferred: string, options: readonly string[]): string {
  const at = options.indexOf(preferred);
  return at < 0 ? plain(preferred, 500) : `**${at + 1}.** ${plain(preferred, 250)}`;
}

/** Several questions are told apart by their ids. */
function howText(questions: readonly OpenQuestion[]): string {
  const ways = questions.map(({ asked, interaction }) => {
    const id = questions.length > 1 ? `${interaction.id} ` : '';
    return waysToAnswer(asked, id);
  });
  if (ways.length < 2) return `**How to answer**: comment ${ways.join('')}.`;
  const lines = ways.map((way, nth) => `- Question ${nth + 1}: ${way}`);
  return `**How to answer**: comment the name of the question and your answer.\n\n${lines.join('\n')}`;
}

function waysToAnswer({ options = [], multiple }: OpenQuestion['asked'], id: string): string {
  if (options.length === 0) return code(`/answer ${id}your own words`);
  const several = multiple && options.length > 1 ? `, ${code(`/answer ${id}1, 2`)} for several options` : '';
  const example = Math.min(2, options.length);
  return `${code(`/answer ${id}${example}`)} for option ${example}${several}, or ${code(`/answer ${id}your own words`)}`;
}

function whoAnswersText(state: State): string {
  const { questions = [], settings } = state;
  const by = answerersOf(settings);
  const isUsual = by.length === 1 && by.every((each) => 'role' in each && each.role === 'write');
  const who = `**Who can answer**: ${whoText(by, markdown, 'anyone')}`;
  if (isUsual) return `${who}. The first answer counts.`;
  const isChoice = questions.some(({ asked }) => (asked.options ?? []).length > 0);
  return `${who}${isChoice ? '; an answer in their own words requires write access' : ', with write access'}. The first answer counts.`;
}

/** Whether the agent still waits, until when people have time, and what happens then. */
function waitText(state: State): string {
  const { standing, settings } = state;
  const then = unansweredText(state);
  if (isAskingHuman(standing))
    return `The agent was stopped, and ${goesOnWith('answer')}. If nobody answers by ${timeText(standing.deadline)}, ${then}.`;
  const { timeout_s } = settings.questions ?? usualQuestions;
  return (
    'The agent waits briefly. If you need longer, it is stopped, keeps what it has done, and continues with ' +
    `your answer whenever it comes. If nobody answers within ${daysText(timeout_s)} from then on, ${then}.`
  );
}

function daysText(seconds: number): string {
  const days = seconds / 86_400;
  if (!Number.isInteger(days)) return setDurationText(seconds);
  return days === 1 ? '1 day' : `${days} days`;
}

function recordedText({ run }: State): string {
  return (
    `Answers are kept in ${code(`refs/coxswain/open/${run.number}`)}, the ledger of this run, and are shown to the ` +
    'agent: anyone who can read this repository can read them, and on a public one that is everyone. Do not answer with a secret.'
  );
}

/** It stands in a title, where nothing is formatted. */
function questionTitle({ questions = [] }: Pick<State, 'questions'>): string {
  const [first] = questions;
  const more = questions.length > 1 ? ` (1 of ${questions.length} questions)` : '';
  return `The agent asks: ${inertTitle(first?.asked.question ?? '', 120)}${more}`;
}

/** Says what is asked, in plain text. */
export function questionLines({ questions = [] }: Pick<State, 'questions'>): readonly string[] {
  return questions.flatMap(({ asked, interaction, suggestion }) => [
    `The agent asks: ${marked(asked.question)}`,
    ...said([asked.context && `  ${marked(asked.context)}`]),
    ...(asked.options ?? []).map((option, nth) => `  ${nth + 1}. ${marked(option)}`),
    ...said([
      asked.default && `  It would choose: ${marked(asked.default)}`,
      suggestion &&
        `  Answered before, in other circumstances: ${marked(suggestion.answer)} (${suggestion.by})`,
      questions.length > 1 && `  Its name: ${interaction.id}`,
    ]),
  ]);
}

/** Text whose later lines nobody takes for lines of ours. */
function marked(text: string): string {
  return visible(text).replaceAll('\n', '\n  | ');
}

/** What a button for an option says: GitHub allows 20 characters. Its number stands in front. */
function optionLabel(option: string, number: number): string {
  const label = `${number} ${visible(option).replace(/\s+/g, ' ').trim()}`;
  return label.length <= 20 ? label : `${beginningOf(label, 19)}…`;
}
