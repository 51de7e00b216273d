import type { Baseline } from '../../steering/confidence/proof.ts';
import { redBefore } from '../../steering/confidence/red-before.ts';
import type { State } from '../../steering/state.ts';
import type { IssueContext } from '../issue-context.ts';
import { checkFailure } from './check-failure.ts';
import { earlierAttempts } from './earlier-attempts.ts';
import { earlierRuns } from './earlier-runs.ts';
import { type Given, instructionsOfRepository } from './given.ts';
import { heldWork } from './held-work.ts';
import { imagesOfIssue } from './images.ts';
import { commentsOnIssue, taskAsGiven } from './issue.ts';
import { skillsForAgent } from './skills.ts';
import { steeringClosing, steeringPrompt } from './steering.ts';
import { list, paragraphs, section } from './text.ts';

/** The prompt for the next attempt, from the run's state and what else the agent is given. */
export function promptFor(state: State, given: Given = {}): string {
  const steered = state.iteration > 0;
  const prompt = paragraphs(
    earlierAttempts(state),
    steered ? steeringPrompt(state, given.context) : taskPrompt(state, given.context),
    earlierRuns(state),
    commentsOnIssue(given.context),
    imagesOfIssue(given.context),
    instructionsOfRepository(given.instructions),
    skillsForAgent(given.skills),
    howToWork(state),
    steered ? steeringClosing : null,
    heldWork(state, given.context) ?? checkFailure(state, given.context),
  );
  return `${prompt}\n`;
}

/** The first prompt of a run: the task and its acceptance criteria. */
function taskPrompt(state: State, context: IssueContext | undefined): string {
  return paragraphs(
    section('## Task', taskAsGiven(state, context)),
    section('### Acceptance Criteria', list(state.task.acceptance_criteria)),
  );
}

function howToWork({ settings, baseline }: State): string {
  const { verifiers, checks = [] } = settings;
  const names = verifiers.map(({ name, run }) => `\`${name}\` (\`${run}\`)`).join(', ');
  const ofCi = checks.map(({ check }) => `\`${check}\``).join(', ');
  const rules = [
    '### How to Work',
    'You are in a checkout of the repository. Change files here; do not commit, push or switch branches:' +
      ' your changes to the working tree are committed for you.',
    names && `Afterwards these commands are run on a clean checkout, and their exit codes decide: ${names}.`,
    ofCi && `The repository's own CI then has to pass, too: ${ofCi}.`,
    redAlready(baseline),
    settings.agent.use === 'command' ? reportRule : lastMessageRule,
  ];
  return rules.filter(Boolean).join('\n');
}

/** An agent that does not know might turn everything over to mend what it has not broken. */
function redAlready(baseline: Baseline | undefined): string {
  const all = baseline?.run.outcome === 'ran' ? baseline.run.verifiers.map(({ name }) => name) : [];
  const names = redBefore(baseline, all).map((name) => `\`${name}\``);
  if (names.length === 0) return '';
  const fail = names.length === 1 ? 'fails' : 'fail';
  return `Without your changes, ${names.join(', ')} ${fail} already: mend that only if the task asks for it.`;
}

const lastMessageRule =
  'Your last message is your report. Begin it with one line that says what you changed, as the subject of a' +
  ' commit would, then say in a few sentences how; say plainly what could not be done, and where a human' +
  ' should look closely.';

const reportRule =
  'When you are done you may write a report to the file named by the environment variable' +
  ' COXSWAIN_REPORT_FILE, as JSON: {"summary": "what you did", "status": "done", "tool_calls": []};' +
  ' the status is "uncertain" when a human should look closely and "cannot" when it cannot be done.';
