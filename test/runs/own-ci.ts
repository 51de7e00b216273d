import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { Connection } from '../../src/github/octokit/connect.ts';
import type { RunsFixture } from './runs-fixture.ts';
import { at } from './runs-fixture.ts';

/** A CI that makes check runs, as GitHub Actions does unless another App is named. */
export interface OwnCi {
  /** Makes a check run, or runs it again: then it is a new one of the same name. */
  says(
    head: string,
    conclusion: Conclusion | null,
    given?: { name?: string; text?: string },
  ): Promise<number>;
}

type Conclusion = 'success' | 'failure' | 'skipped' | 'neutral' | 'cancelled';

const name = 'acme/api';

export function githubActions({ forge, client }: RunsFixture): OwnCi {
  return ciOf(client(forge.seed.actionsToken(name, { checks: 'write' })));
}

/** Another App, which may give its checks any name. */
export async function anotherApp({ forge }: RunsFixture): Promise<OwnCi> {
  const app = forge.seed.createApp({
    ...{ slug: 'other-ci', owner: 'acme', webhook_url: '', webhook_secret: 'unused', events: [] },
    permissions: { checks: 'write', statuses: 'write', metadata: 'read' },
  });
  const installationId = forge.seed.installApp(app, [name]);
  const auth = { appId: app.id, privateKey: app.private_key, installationId };
  return ciOf(new Octokit({ baseUrl: forge.apiUrl, authStrategy: createAppAuth, auth }));
}

function ciOf({ rest }: Pick<Connection, 'rest'> | Octokit): OwnCi {
  return {
    says: async (head_sha, conclusion, { name: called = 'build / test', text = '' } = {}) => {
      const state = conclusion === null ? { status: 'in_progress' as const } : { conclusion };
      const output = { title: 'CI', summary: text === '' ? 'Nothing to say' : text };
      const { data } = await rest.checks.create({ ...at, name: called, head_sha, ...state, output });
      return data.id;
    },
  };
}

const agent = 'agent: { use: command, command: [sh, agent.sh] }';

/** A configuration whose verifiers are one command and one check. */
export function configuration({ timeout = '30m', more = '' } = {}): string {
  const ci = `{ name: ci, check: "build / test", app: github-actions, timeout: ${timeout} }`;
  return `version: 1\n${agent}\nverifiers: [{ name: test, run: "true" }, ${ci}]\n${more}`;
}
