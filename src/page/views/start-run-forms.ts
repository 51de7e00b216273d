import { commandSpecs } from '../../steering/commands/index.ts';
import { covers, type Role } from '../../steering/person.ts';
import { type Html, html } from '../html.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { details } from './components.ts';

/** Two ways to start a run: the label, or `/run` with instructions. */
export function startRunForms(route: IssueRoute, { trigger, labelled, role }: Startable): Html {
  const { needs } = commandSpecs.run;
  if (role !== null && !covers(role, needs))
    return html`<p class="muted">Starting a run needs ${needs}; your role here is ${role}.</p>`;
  return html`${labelled ? postRunButton(route, trigger) : startButton(route, trigger)}${taskForm(route)}`;
}

/** An issue from which a run can be started. */
interface Startable {
  /** The label that starts one. */
  readonly trigger: string;
  /** Whether the issue already has it. */
  readonly labelled: boolean;
  /** The viewer's; null if GitHub does not say. */
  readonly role: Role | null;
}

function startButton(route: IssueRoute, trigger: string): Html {
  return html`<form method="post" action="${pathOf(route, 'label')}">
<button class="primary" title="Adds the label ${trigger}">Start a run</button></form>`;
}

/** The label is there already, so adding it would start nothing. */
function postRunButton(route: IssueRoute, trigger: string): Html {
  return html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="run">
<button title="The issue already has the label ${trigger}, so this posts /run">Post /run</button></form>`;
}

function taskForm(route: IssueRoute): Html {
  const id = `task-${route.owner}/${route.repo}#${route.number}`;
  return details(
    { id: `write-${id}`, summary: 'Run with your own instructions' },
    html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="run">
<label for="${id}">What should the agent do?</label>
<textarea id="${id}" name="text" rows="3" required></textarea>
<button>Post /run</button>
</form>`,
  );
}
