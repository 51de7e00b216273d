import { either } from '../../steering/phrases/phrases.ts';
import { parkedText } from '../parts/asking-texts.ts';
import { command, pauseText, thenRetry } from '../parts/common-phrases.ts';
import {
  beginningText,
  dependenciesText,
  dependenciesTitle,
  dependencyParts,
} from '../parts/resolution-texts.ts';
import { code, plain, timeText } from '../parts/sanitize.ts';
import { cancel, type PhaseWords, retry } from './row.ts';

/** What people read of a run that waits for something else than an answer. */

export const blocked: PhaseWords<'blocked'> = {
  title: ({ standing }) => dependenciesTitle(standing),
  summary: ({ standing }) => [dependenciesText(standing)],
  status: ({ standing }) => dependencyParts(standing).map((part) => `Waiting for: ${part}`),
  missing: ({ standing }, format) => [...dependencyParts(standing), beginningText(standing, format)],
  result: () => 'in_progress',
  buttons: () => [cancel],
  tone: 'info',
};

export const paused: PhaseWords<'paused'> = {
  title: ({ standing: { until } }) =>
    until === undefined ? 'Paused' : `Waiting for the model until ${timeText(until)}`,
  summary: (state) => [
    plain(pauseText(state.standing, state), 2000),
    state.standing.until === undefined
      ? `Use ${command('resume')} to continue.`
      : `${command('resume')} tries again right away.`,
    parkedText(state),
  ],
  status: (state) => [`Why: ${pauseText(state.standing, state)}`],
  missing: (state, format) => {
    const { until, why } = state.standing;
    if (until === undefined)
      return [
        `${format.name('/resume')}: ${format.text(pauseText(state.standing, state).replace(/\.$/, ''))}`,
      ];
    return [
      `the model, which ${why === 'rate_limit' ? 'answers' : 'is asked'} again at ${timeText(until)}`,
      `it then continues automatically, and ${format.name('/resume')} tries again right away`,
    ];
  },
  result: () => 'action_required',
  awaits: 'resume',
  tone: 'warning',
};

export const timedOut: PhaseWords<'timed_out'> = {
  title: () => 'Timed out waiting for a human',
  summary: ({ standing: { before } }) => [
    `The deadline was ${timeText(before.deadline)}. Use ${command('resume')} to continue.`,
    before.phase === 'awaiting_answer' &&
      `The question of the agent is still open: ${command('answer')} lets it continue, too.`,
  ],
  status: ({ standing: { before } }) => [
    `Was: ${before.phase}`,
    `Deadline was: ${timeText(before.deadline)}`,
  ],
  missing: ({ standing, questions }, format) => {
    const ways = [format.name('/resume'), ...(questions?.length ? [format.name('/answer')] : [])];
    return [`${either(ways)}, because nobody answered by ${timeText(standing.before.deadline)}`];
  },
  result: () => 'timed_out',
  awaits: 'resume',
  tone: 'warning',
};

export const failed: PhaseWords<'failed'> = {
  title: ({ standing }) =>
    standing.because === 'configuration'
      ? 'Stopped: the configuration cannot be used'
      : 'Stopped by an internal error in Coxswain',
  summary: ({ standing: { what, because, reference } }) =>
    because === 'configuration'
      ? [`${plain(what, 3000)}.`, `Fix it ${thenRetry}`]
      : [`${plain(what)} Reference: ${code(reference)}.`, `Use ${command('retry')} to continue.`],
  status: ({ standing }) => [`Why: ${standing.what}`, `Reference: ${standing.reference}`],
  missing: ({ standing }, format) => [
    `${format.name('/retry')}, once what stopped it is fixed: ${format.text(standing.what)}`,
  ],
  result: () => 'failure',
  buttons: () => [retry],
  awaits: 'retry',
  tone: 'danger',
};
