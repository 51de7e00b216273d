import { awaitedChecks } from '../../steering/approval/ci-results.ts';
import { updateDue } from '../../steering/branch/undo-and-update.ts';
import { attemptDue } from '../../steering/iterations/iteration.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { type DueWork, isAwaitingChecks, type Lease } from '../../steering/shapes/standing.ts';
import type { In, State } from '../../steering/state/state.ts';
import { goesOn, parkedText } from '../parts/asking-texts.ts';
import { awaitedLines, ofStage } from '../parts/common-phrases.ts';
import { type Format, type Part, plain, said, timeText } from '../parts/sanitize.ts';
import { answering } from './awaiting-answer.ts';
import { callLines, deciding } from './awaiting-permission.ts';
import { cancel, type PhaseWords } from './row.ts';

/** What people read while the agent or the verifiers are at work, or are about to be. */

/** One text for all three phases: a label tells them apart, so the check need not be rewritten for each. */
const inProgress = {
  title: ({ iteration }: State) => `Iteration ${iteration} is in progress`,
  summary: () => [
    'The agent or the verifiers are at work, or are about to be. There is no commit to approve yet.',
  ],
  result: () => 'in_progress',
  buttons: () => [cancel],
  tone: 'info',
} satisfies Partial<PhaseWords<'queued' | 'working' | 'verifying'>>;

export const queued: PhaseWords<'queued'> = {
  ...inProgress,
  sentence: (state) => {
    const { standing } = state;
    const undoes = standing.work === 'land' ? undefined : standing.undoes;
    if (undoes !== undefined) return `It goes back to iteration ${undoes.to} ${soon}`;
    return `${mergeText(state, 'merges') ?? dueTexts(state).begins} ${soon}`;
  },
  status: (state) => [
    `Waiting for: ${waitingFor[state.standing.work]}${state.parked ? `, which ${goesOn}` : ''}`,
  ],
  missing: (state, format) => [dueTexts(state).room, ...said([parkedText(state, format).replace(/\.$/, '')])],
};

const soon = 'as soon as there is room';

/** Says what becomes of an update, which Git does alone, or else the agent; undefined if none is due. */
function mergeText(state: State, does: 'merges' | 'is merging'): string | undefined {
  const { base, resolves } = updateDue(state) ?? {};
  if (base === undefined) return undefined;
  return resolves === undefined
    ? `It ${does} ${plain(base)} into the branch`
    : `Its agent ${does} ${plain(base)} into the branch`;
}

const waitingFor: { readonly [W in DueWork['work']]: string } = {
  attempt: 'room for an attempt',
  verify_attempt: 'room for the verifiers',
  verify_head: 'room for the verifiers',
  land: 'room to push the allowed work',
};

/** It begins at once, unless all places are taken or no process is there to do it. */
function dueTexts(state: In<'queued'>): { readonly begins: string; readonly room: string } {
  const { standing, iteration, head, parked } = state;
  switch (standing.work) {
    case 'attempt': {
      const attempt = attemptDue(state);
      const [stage, isNew] = [ofStage(state), parked === undefined];
      return {
        begins: `Iteration ${iteration}, attempt ${attempt}${stage} ${isNew ? 'begins' : goesOn}`,
        room: `room for attempt ${attempt} of iteration ${iteration}${stage}, ${isNew ? 'which then starts automatically' : `which ${goesOn}`}`,
      };
    }
    case 'verify_attempt':
    case 'verify_head':
      return {
        begins: `The verifiers check ${shortSha(head)}`,
        room: `room for the verifiers of ${shortSha(head)}, which then start automatically`,
      };
    case 'land':
      return {
        begins: 'The allowed work is pushed to the branch',
        room: 'room to push the allowed work to the branch, which then happens automatically',
      };
  }
}

export const working: PhaseWords<'working'> = {
  ...inProgress,
  sentence: (state) =>
    state.standing.held === undefined
      ? (mergeText(state, 'is merging') ??
        `Iteration ${state.iteration}, attempt ${state.attempt}${ofStage(state)} is at work`)
      : 'The allowed work is being pushed to the branch',
  status: ({ standing }) => [...callLines(standing.asking), ...leaseLines(standing.hold)],
  missing: (state, format) => [workingText(state, format)],
};

function workingText(state: In<'working'>, format: Format): string {
  const { asking, held } = state.standing;
  if (asking !== undefined)
    return `${deciding(state, asking.call.hits, format)}, until ${timeText(asking.until)}; then the agent is stopped until somebody decides`;
  if (state.questions?.length) return `${answering(state, format)}; the agent waits for it`;
  if (held !== undefined) return 'the push of the allowed work, which is in progress';
  return `the result of the agent, which is at work on attempt ${state.attempt} of iteration ${state.iteration}${ofStage(state)}`;
}

export const verifying: PhaseWords<'verifying'> = {
  ...inProgress,
  title: (state) =>
    isAwaitingChecks(state.standing) ? `Iteration ${state.iteration} waits for CI` : inProgress.title(state),
  sentence: (state) => {
    const { standing, head } = state;
    if (isAwaitingChecks(standing)) return `CI still has to check ${shortSha(head)}`;
    if (standing.undoes !== undefined) return `It is going back to iteration ${standing.undoes.to}`;
    return mergeText(state, 'is merging') ?? `The verifiers are checking ${shortSha(head)}`;
  },
  summary: (state) =>
    isAwaitingChecks(state.standing)
      ? awaitedLines(state).map((line) => `It ${plain(line)}.`)
      : inProgress.summary(),
  status: (state) =>
    isAwaitingChecks(state.standing)
      ? awaitedLines(state).map((line) => `CI: ${line}`)
      : leaseLines(state.standing.hold),
  missing: verifyingParts,
};

/** Checks of the repository's own CI come after the verifiers, and are waited for until a time. */
function verifyingParts(state: In<'verifying'>, { name, text }: Format): readonly string[] {
  const { settings, head, standing } = state;
  if (isAwaitingChecks(standing))
    return awaitedChecks(state).map(
      ({ spec, until }) =>
        `the verifier ${name(spec.name)}, which waits for ${name(spec.check)} of ${text(spec.app)} until ${timeText(until)}`,
    );
  const names = settings.verifiers.map((verifier) => name(verifier.name));
  const of = standing.starts_ci ? 'a new head' : shortSha(head);
  return names.length === 0
    ? [`the verification of ${of}`]
    : [`the results for ${of} of the ${names.length === 1 ? 'verifier' : 'verifiers'} ${names.join(', ')}`];
}

/** Who does the work, since when, and when another process may take it. */
function leaseLines({ job, since, until }: Lease): readonly Part[] {
  return [
    job && `Workflow run: ${job.run_id}, attempt ${job.run_attempt}`,
    since && `Working since: ${since}`,
    `Lease until: ${until}`,
  ];
}
