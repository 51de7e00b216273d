import type { CommandOf } from '../../steering/command.ts';
import { personOf } from '../read/roles.ts';
import { placeOf, type Saying, timeOf } from './command-event.ts';
import type { HeardOf, Issue } from './github-event.ts';
import type { Hearing, StartIssue } from './run-event.ts';
import type { Ears } from './translate.ts';

/** Wishes for a run: a label, `/run`, a workflow started by hand. Granting them is the starter's business. */

/** The trigger label on an issue: one cause, however often it is set. Starting is idempotent by issue. */
export async function hearLabeled(heard: HeardOf<'labeled'>, ears: Ears): Promise<Hearing[]> {
  if (heard.label !== ears.trigger || heard.issue.is_pull) return [];
  const { asked_at: _, ...by } = await personOf(ears.octokit, heard.repository, heard.sender);
  const request = {
    ...placeOf(heard),
    cause: `issue:${heard.issue.number}:run`,
    at: heard.at,
    by,
    issue: startIssue(heard.issue),
    adopt: null,
    text: '',
    source: null,
  };
  return [{ kind: 'start', request }];
}

/** `/run` on an issue starts from it; on a pull request it is a wish to work on that one. */
export async function startFromComment(
  said: Saying & { readonly at: string; readonly command: CommandOf<'run'> },
  issue: Issue,
  { octokit }: Ears,
): Promise<Hearing[]> {
  const { place, id: cause, at, source, command } = said;
  const { asked_at: _, ...by } = await personOf(octokit, place.repository, said.speaker);
  const subject = issue.is_pull
    ? { issue: null, adopt: { number: issue.number } }
    : { issue: startIssue(issue), adopt: null };
  return [{ kind: 'start', request: { ...place, cause, at, by, ...subject, text: command.task, source } }];
}

/** A workflow started by hand with a `prompt`; with other inputs it is an engine's job, and no wish. */
export async function hearDispatch(heard: HeardOf<'dispatch'>, ears: Ears): Promise<Hearing[]> {
  const text = heard.inputs['prompt']?.trim() ?? '';
  if (text === '') return [];
  const { asked_at, ...by } = await personOf(ears.octokit, heard.repository, heard.sender);
  const request = {
    ...placeOf(heard),
    cause: `dispatch:${heard.run_id}`,
    at: timeOf(null, asked_at),
    by,
    issue: null,
    adopt: null,
    text,
    source: { from: 'dispatch', workflow_run_id: heard.run_id },
  } as const;
  return [{ kind: 'start', request }];
}

function startIssue({ number, title, body, open }: Issue): StartIssue {
  return { number, title, body, open };
}
