import type { Announcement } from '../steering/announcements.ts';
import { sayableIn } from '../steering/phases/table.ts';
import { shortSha } from '../steering/phrases/phrases.ts';
import type { VerifierOutput } from '../steering/shapes/attempt-result.ts';
import type { State } from '../steering/state/state.ts';
import { counted } from '../text/amounts.ts';
import { visible } from '../text/characters.ts';
import { timePassedText } from './parts/approval-texts.ts';
import {
  acting,
  failedText,
  fileLine,
  outcomeTexts,
  pullLink,
  supersededText,
} from './parts/common-phrases.ts';
import { confidenceText } from './parts/confidence.ts';
import { firstLines, literal, type Part, said } from './parts/sanitize.ts';
import { verdictLine } from './parts/tests.ts';
import { questionLines } from './phases/awaiting-answer.ts';
import { askTitle } from './phases/awaiting-approval.ts';
import { callLines } from './phases/awaiting-permission.ts';
import { stageResult } from './phases/awaiting-stage.ts';
import { recordedWords, wordsOf } from './phases/index.ts';

interface News {
  readonly title: string;
  readonly lines: readonly Part[];
}

/**
 * Writes what people read of an announcement where they are told of it, as plain text; `state` is that after
 * it. Of what others have written, all but the first line is marked, so that nobody takes it for lines of
 * ours.
 */
export function notificationText(announcement: Announcement, state: State, web: string) {
  const { title, lines } = newsOf(announcement, state);
  return { title: `${announcement.run}: ${title}`, lines: said(lines), url: pullLink(web, state) };
}

function newsOf(announcement: Announcement, state: State): News {
  const { actor } = announcement;
  const who = actor ?? 'Coxswain';
  switch (announcement.event) {
    case 'run_started':
      return {
        title: `Run started: ${state.task.title}`,
        lines: [`Requested by ${state.requested_by.login}`],
      };
    case 'attempt_started':
      return { title: `${attemptName(announcement)} has begun`, lines: [] };
    case 'attempt_finished':
      return attemptNews(announcement, state);
    case 'approval_requested':
      return approvalNews(state);
    case 'approval_received': {
      const { head_sha } = announcement;
      const approval = state.approvals.findLast((each) => each.head_sha === head_sha);
      const title = `${approval?.by.login ?? who} approved ${shortSha(head_sha)}`;
      return { title, lines: standingLines(state) };
    }
    case 'approval_revoked':
      return { title: `The approval of ${shortSha(announcement.head_sha)} no longer counts`, lines: [] };
    case 'steer_instruction':
      return { title: `${who} steered it, in ${counted(announcement.length, 'character')}`, lines: [] };
    case 'question_answered':
    case 'interrupt_resolved':
    case 'permission_settled':
    case 'stage_settled':
      return settledNews(announcement, state);
    case 'stage_shown':
      return standingNews(state, [agentsWords(stageResult(state))]);
    case 'interrupt_raised': {
      const isOld = supersededText(state) !== '';
      return standingNews(state, isOld ? [] : verdictLines(state.shown, ({ success }) => !success));
    }
    case 'reminder': {
      const { title, lines } = standingNews(state, [timePassedText(state, literal)]);
      return { title: `Reminder: ${title}`, lines };
    }
    case 'question_asked':
    case 'permission_requested':
    case 'approval_timed_out':
    case 'approval_rejected':
    case 'run_finished':
      return standingNews(state);
  }
}

/** Where the run stands now, as people see it. */
function standingNews(state: State, lines: readonly Part[] = []): News {
  const { task, standing } = state;
  // Of what is done, its title has said everything.
  const more = standing.phase === 'done' ? [] : [...standingLines(state), waysOn(state)];
  return { title: wordsOf(state).title(state), lines: [`Task: ${task.title}`, ...lines, ...more] };
}

/** Says what an agent that is held asks, or else what there is to know of the phase. */
function standingLines(state: State): readonly Part[] {
  const { standing } = state;
  const lines =
    standing.phase === 'working' ? callLines(standing.asking) : recordedWords(state).status(state);
  return [...questionLines(state), ...said(lines).map((line) => marked(line))];
}

/** Says what people can say now: a message may be the first thing that somebody reads of Coxswain. */
function waysOn(state: State): string {
  const ways = acting(sayableIn(state)).map((name) => `/${name}`);
  return ways.length === 0 ? '' : `On GitHub you can say: ${ways.join(', ')}`;
}

const maxListed = 10;

function approvalNews(state: State): News {
  const { shown, report, run, task } = state;
  const { files = [], omitted, summary } = shown?.changes ?? {};
  const confidence = confidenceText(state, literal);
  const title = askTitle(state, literal);
  const lines = [
    wordsOf(state).title(state),
    !title.includes(literal.text(task.title)) && `Task: ${task.title}`,
    supersededText(state),
    agentsWords(report?.summary),
    report?.question && marked(`The agent asks:\n${report.question}`),
    summary && `${run.repo}: ${summary}`,
    ...firstLines(files, maxListed, (file) => `- ${fileLine(file)}`, omitted),
    ...verdictLines(shown),
    confidence && `Confidence ${confidence}`,
    ...standingLines(state),
    waysOn(state),
  ];
  return { title, lines };
}

function verdictLines(shown: State['shown'], isWanted: (one: VerifierOutput) => boolean = () => true) {
  const verifiers = (shown?.verifiers ?? []).filter(isWanted);
  return firstLines(verifiers, maxListed, (each) => verdictLine(each, literal.name));
}

function attemptName({ iteration, attempt }: Pick<State, 'iteration' | 'attempt'>): string {
  return `Iteration ${iteration}, attempt ${attempt}`;
}

function attemptNews(
  announcement: Extract<Announcement, { event: 'attempt_finished' }>,
  { attempts }: State,
): News {
  const { outcome } = announcement;
  const how = outcome === 'stopped' ? outcome : outcomeTexts[outcome];
  const { failure, verifiers = [] } = attempts.find((each) => each.attempt === announcement.attempt) ?? {};
  return {
    title: `${attemptName(announcement)}: ${how}`,
    lines: [failure ? marked(failure.message) : '', failedText(verifiers, { passed: outcome === 'green' })],
  };
}

/** `Permission: allowed once by ada` */
function settledNews(announcement: Extract<Announcement, { how: string }>, state: State): News {
  const { how, interaction, actor } = announcement;
  const settled = state.interactions.find(({ id }) => id === interaction);
  const [kind = ''] = interaction.split(':');
  const { question, reply } = settled ?? {};
  return {
    title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${how}${actor === null ? '' : ` by ${actor}`}`,
    lines: [
      question && marked(`The agent asked: ${question.question}`),
      reply && marked(`The answer: ${reply}`),
    ],
  };
}

/** Words of an agent, below what says whose they are; empty if there are none. */
function agentsWords(text = ''): string {
  return text.trim() === '' ? '' : marked(`In the words of the agent:\n${text}`);
}

/** How many lines more than the first one are shown of a text. */
const maxFurther = 12;

function marked(text: string): string {
  const [first = '', ...further] = visible(text).trim().split(/\n\s*/);
  const shown = further.length > maxFurther ? [...further.slice(0, maxFurther), '…'] : further;
  return [first, ...shown.map((line) => `> ${line}`)].join('\n');
}
