import type { State } from '../../src/steering/state/state.ts';
import { at, type GivenRun, startGivenRun } from './given-run.ts';

const name = 'acme/api';
const finished = { phase: 'approved', finish: 'finished' } as const;

/** A pull request whose approved run is to be merged as the configuration says. */
export type FinishedRun = Awaited<ReturnType<typeof startFinishedRun>>;

/** `finish` is that of the configuration, `more` the rest of it, and `message` that of the only commit. */
export async function startFinishedRun(finish: string, { more = '', message = 'Note' } = {}) {
  const run = await startGivenRun(`${more}approval: { finish: ${finish} }\n`, message);
  run.forge.seed.settings(name, { allow_auto_merge: true });
  return Object.assign(run, merging(run));
}

function merging(run: GivenRun) {
  const { forge, people, head, number } = run;
  return {
    /** A finished run with an approval that Mia has really given, and the merge that its ledger wants. */
    async approved(when: 'now' | 'allowed', changed: Partial<State> = {}): Promise<State> {
      const owed = [{ id: 'x:merge', do: 'merge', head_sha: head, when } as const];
      return run.waiting({ standing: finished, approvals: [await run.approves(head)], owed, ...changed });
    },
    async pull() {
      return (await people.ada.rest.pulls.get({ ...at, pull_number: number })).data;
    },
    /** Requires checks for merging into `main`, each from an App or, with null, from anybody. */
    requires(checks: Readonly<Record<string, number | null>>): void {
      const required_status_checks = Object.entries(checks).map(([context, app]) =>
        app === null ? { context } : { context, integration_id: app },
      );
      forge.seed.addRuleset(name, {
        rules: [{ type: 'required_status_checks', parameters: { required_status_checks } }],
      });
    },
    ownApp(): number | null {
      const { app } = run.repository.own;
      return 'id' in app ? app.id : null;
    },
    async ciSucceeds(): Promise<void> {
      const status = { sha: head, context: 'ci', state: 'success' } as const;
      await people.ada.rest.repos.createCommitStatus({ ...at, ...status });
    },
    async isQueued(): Promise<boolean> {
      const { octokit, owner, name } = run.repository;
      const query = `query ($owner: String!, $name: String!, $number: Int!) {
        repository(owner: $owner, name: $name) { pullRequest(number: $number) { isInMergeQueue } } }`;
      const asked = await octokit.graphql<{ repository: { pullRequest: { isInMergeQueue: boolean } } }>(
        query,
        {
          ...{ owner, name, number },
        },
      );
      return asked.repository.pullRequest.isInMergeQueue;
    },
    /** The comments of the App. */
    async says(): Promise<readonly string[]> {
      const { data } = await people.ada.rest.issues.listComments({ ...at, issue_number: number });
      return data.filter(({ user }) => user?.type === 'Bot').map(({ body = '' }) => body);
    },
  };
}
