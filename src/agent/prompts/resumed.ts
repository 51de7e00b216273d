import { callIn } from '../../steering/permission/tool-calls.ts';
import type { Parked } from '../../steering/shapes/parked.ts';
import type { SettledInteraction } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { actionsIn } from '../port/reasoning.ts';
import type { Given } from './given.ts';
import { delimited, newest, paragraphs, quoted } from './text.ts';

const maxLogLength = 4_000;

/** What the attempt before did; null if nothing is known of it. */
export function previousActions({ log = '' }: Given): string | null {
  const actions = actionsIn(log);
  return actions === '' ? null : delimited('PREVIOUS ACTIONS LOG', quoted(newest(actions, maxLogLength)));
}

/** What an agent is told that goes on where one was stopped; a failed one has a form of its own. */
export function parkedFeedback(state: State, parked: Parked): string {
  switch (parked.because) {
    case 'question':
      return ofParked(state, 'question').length > 0 ? '' : 'Nobody has answered what you asked. Continue.';
    case 'permission':
      return decision(state, parked);
    case 'rate_limit':
      return 'You are resuming after a usage limit. Your progress is saved. Review your earlier actions and continue.';
    case 'stopped':
    case 'failed':
      return 'Your work was stopped by people or by a restart. Nothing was lost. Review your earlier actions and continue.';
  }
}

/** Every question of the attempt with what was answered, whether or not the agent has heard it. */
export function answersToParked(state: State): string {
  return paragraphs(...ofParked(state, 'question').map(answered));
}

function answered({ question, reply, by, how }: SettledInteraction): string {
  const asked = `You previously asked: "${quoted(question?.question ?? '')}".`;
  if (reply === undefined)
    return `${asked} Nobody answered (${quoted(how)}). Continue your work, and state what you assume.`;
  if (by === 'coxswain')
    return `${asked} Nobody answered, so your default, which nobody has chosen, stands: "${quoted(reply)}". Continue your work based on it.`;
  return `${asked} The user responded: "${quoted(reply)}". Continue your work based on this answer.`;
}

function decision(state: State, { granted }: Parked): string {
  const settled = ofParked(state, 'permission').at(-1);
  if (settled === undefined) return 'Nobody has decided about your tool call. Go on without it.';
  const { by, asked = '', answer } = settled;
  const call = quoted(callIn(granted ?? asked));
  if (answer?.allowed)
    return `@${by} allowed the tool call that you were stopped before: ${call}\nRun exactly this call, then go on.`;
  return `The tool call that you were stopped before is not allowed: ${call}\n${quoted(answer?.why ?? '')}\nGo on without it.`;
}

function ofParked(
  { parked, interactions }: State,
  wanted: SettledInteraction['kind'],
): readonly SettledInteraction[] {
  return interactions.filter(
    ({ kind, of }) =>
      kind === wanted && of?.iteration === parked?.iteration && of?.attempt === parked?.attempt,
  );
}

/** What became of the work that the attempt left. */
export function whereWorkIs({ parked }: State, work: Given['work']): string | null {
  if (work === 'there') return 'What you had changed is in the working tree.';
  if (work === 'gone') return 'What you had changed no longer exists: the working tree is without it.';
  if (work !== 'moved') return null;
  const kept = parked?.work?.kept ?? null;
  return (
    'The branch has moved, and what you had changed no longer fits it. It was set aside and is not in the ' +
    `working tree${kept === null ? '.' : `; it is kept at \`${kept}\`.`}`
  );
}
