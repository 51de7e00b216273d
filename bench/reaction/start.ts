import { readdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Octokit } from '@octokit/rest';
import type { ForgeAnswer, ForgeQuestion, ForgeReady } from '../environment/forge.ts';
import type { Part } from '../measure/part.ts';
import { until } from '../measure/until.ts';

/** The issues to start runs for. */
interface StartOptions {
  readonly forge: Part<ForgeReady, ForgeQuestion, ForgeAnswer>;
  /** The folder in which each attempt in progress has an entry. */
  readonly work: string;
  readonly owners: readonly string[];
  readonly issues: readonly number[];
}

export interface StartedRun {
  readonly owner: string;
  /** Of the pull request. */
  readonly number: number;
}

/** Labels the issues, then waits until all agents are working and everything has been rendered. */
export async function startRuns({
  forge,
  work,
  owners,
  issues,
}: StartOptions): Promise<readonly StartedRun[]> {
  const { apiUrl, token } = forge.ready;
  const ada = new Octokit({ auth: token, baseUrl: apiUrl });
  await forge.ask({ ask: 'deliver' });
  for (const issue_number of issues) {
    for (const owner of owners) {
      await ada.rest.issues.addLabels({ owner, repo: 'widgets', issue_number, labels: ['coxswain'] });
    }
  }
  const wanted = owners.length * issues.length;
  await until(`${wanted} agents working`, async () => (await readdir(work).catch(() => [])).length >= wanted);
  await awaitQuiet(forge);
  await forge.ask({ ask: 'mute' });
  const pulls = await Promise.all(owners.map((owner) => ada.rest.pulls.list({ owner, repo: 'widgets' })));
  return pulls.flatMap(({ data }, index) =>
    data.map(({ number }) => ({ owner: owners[index] ?? '', number })),
  );
}

/** Waits until GitHub has received no request for a while: then everything has been rendered. */
async function awaitQuiet(forge: StartOptions['forge']): Promise<void> {
  const forMs = 4000;
  let before = -1;
  await until('a quiet GitHub', async () => {
    const { requests } = await forge.ask({ ask: 'status' });
    const isSame = requests === before;
    before = requests;
    if (!isSame) await setTimeout(forMs);
    return isSame;
  });
}
