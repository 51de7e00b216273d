import type { Event, EventOf, EventType } from '../../steering/event.ts';
import { elementId, type Html, html } from '../html.ts';
import { table, time } from './components.ts';

const maxEvents = 200;

/** The events in the ledger, newest first. */
export function history(events: readonly Event[]): Html {
  if (events.length === 0) return html`<p class="muted">The ledger has no events.</p>`;
  const shown = events.slice(-maxEvents).toReversed();
  const rows = shown.map(
    (event) => html`<tr id="${elementId(`event-${event.id}`)}"><td class="prompt">${sentenceFor(event)}</td>
<td class="when">${time(event.at)}</td><td><code>${event.type}</code></td></tr>`,
  );
  const older = events.length - shown.length;
  return html`${table('Events, newest first', ['what happened', 'when', 'type'], rows)}
${older > 0 && html`<p class="muted">${older} older events are in the ledger.</p>`}`;
}

/** An event in a sentence. */
export function sentenceFor(event: Event): string {
  const sentence = sentences[event.type];
  // The entry was found by this event's own type; TypeScript cannot follow that through the table.
  return (sentence as (event: Event) => string)(event);
}

const sentences: { readonly [T in EventType]: (event: EventOf<T>) => string } = {
  run_started: ({ by, task }) => `${by.login} started the run: ${task.title}`,
  sealed: ({ key }) => `The ledger was sealed with the key ${key}`,
  restored: ({ by }) => `${by.login} restored the ledger from the pull request`,
  said: ({ by, command }) => `${by.login} posted ${commandText(command)}`,
  comment_changed: ({ by, text }) => `${by} ${text === null ? 'removed' : 'edited'} a comment`,
  review_dismissed: ({ by }) => `${by} dismissed a review`,
  attempt_started: ({ hold }) => `Attempt ${hold.attempt} of iteration ${hold.iteration} started`,
  work_finished: ({ work }) => `The agent finished: ${work.changes.summary}`,
  work_held: ({ work, hits }) =>
    `The agent finished: ${work.changes.summary}; held by ${hits.map(({ rule }) => rule).join(', ')}`,
  ci_started: ({ head }) => `CI may run on ${head.slice(0, 7)}`,
  work_failed: ({ failure }) => `The attempt failed: ${failure.message}`,
  verified: ({ verifiers }) => `The verifiers finished: ${verdictText(verifiers)}`,
  permission_requested: ({ call }) => `The agent asked whether it may: ${call.command ?? call.title}`,
  permission_lapsed: ({ because }) =>
    because === 'timeout'
      ? 'Nobody answered the agent in time, so it went on without'
      : 'The agent no longer asks',
  steer_told: ({ how }) =>
    how === 'unable'
      ? 'The agent could not be told any more'
      : 'The agent was told in the middle of its work',
  hold_lost: ({ hold }) => `Attempt ${hold.attempt} was lost: the process running it stopped`,
  pushed: ({ by, forced, head }) => `${by} ${forced ? 'force-pushed' : 'pushed'} ${head.slice(0, 7)}`,
  branch_deleted: ({ by }) => `${by} deleted the branch`,
  closed: ({ by, merged }) => `${by} ${merged ? 'merged' : 'closed'} the pull request`,
  reopened: ({ by }) => `${by} reopened the pull request`,
  timer_due: ({ timer }) => `The ${timer} timer fired`,
  finish_checked: ({ facts }) =>
    `GitHub was checked once more before finishing ${facts.head_sha.slice(0, 7)}`,
  retargeted: ({ by, base }) => `${by} changed the base to ${base}`,
  run_failed: ({ what, reference, because }) =>
    `${because === 'configuration' ? 'The run stopped' : 'Internal error in Coxswain'}: ${what} (${reference})`,
  settled: ({ paid }) => `Pending effects done: ${paid.length}`,
};

function commandText(command: EventOf<'said'>['command']): string {
  switch (command.type) {
    case 'steer':
      return ['/steer', ...(command.now ? ['--now'] : []), ...withAgent(command), command.prompt].join(' ');
    case 'budget':
      return `/budget +${command.more}${command.limit === null ? '' : ` ${command.limit}`}`;
    case 'reject':
      return `/reject ${command.reason}`;
    case 'run':
      return `/run ${command.task}`.trim();
    case 'approve':
      return ['/approve', ...(command.sha === null ? [] : [command.sha.slice(0, 7)])].join(' ');
    case 'allow':
      return `/allow ${command.scope}`;
    case 'deny':
      return `/deny ${command.reason}`.trim();
    case 'verify':
      return command.ci ? '/verify --ci' : '/verify';
    case 'misspoken':
      return `/${command.name}, which could not be parsed: ${command.problem}`;
    case 'cancel':
    case 'retry':
    case 'resume':
    case 'status':
    case 'diff':
    case 'logs':
    case 'why':
    case 'help':
      return `/${command.type}`;
  }
}

function withAgent({ with: agent }: { readonly with?: string }): readonly string[] {
  return agent === undefined ? [] : [`--with ${agent}`];
}

function verdictText(verifiers: EventOf<'verified'>['verifiers']): string {
  if (verifiers.length === 0) return 'none is configured';
  return verifiers.map(({ name, success }) => `${name} ${success ? 'passed' : 'failed'}`).join(', ');
}
