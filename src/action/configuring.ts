import { dump } from 'js-yaml';
import type { ConfiguringInputs } from '../runs/configuration.ts';

/** What GitHub says of a job. */
interface Job {
  readonly eventName: string;
  /** The file of the workflow and its ref, as in `GITHUB_WORKFLOW_REF`; empty on older runners. */
  readonly workflow: string;
}

/** The inputs as a configuration, the same text for the same inputs. */
export function configuringInputs(
  chosen: Readonly<Record<string, unknown>>,
  { eventName, workflow }: Job,
): ConfiguringInputs {
  const isEmpty = Object.keys(chosen).length === 0;
  return {
    text: isEmpty ? null : dump({ version: 1, ...chosen }),
    // Of older runners only the event is known.
    isFrom: (branch) =>
      workflow === '' ? fromDefaultBranch.includes(eventName) : refOf(workflow) === `refs/heads/${branch}`,
  };
}

/** `<owner>/<repository>/<path>@<ref>`, where a branch may be called `x@refs/heads/main`. */
function refOf(workflow: string): string | undefined {
  return /^[^@]*\.ya?ml@(.*)$/s.exec(workflow)?.[1];
}

/** Their jobs run the workflow of the default branch, and not of one that somebody pushed or chose. */
const fromDefaultBranch = ['issues', 'issue_comment', 'schedule', 'check_run', 'repository_dispatch'];
