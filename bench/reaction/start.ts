import { readdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Octokit } from '@octokit/rest';
import type { Part } from '../measure/part.ts';
import type { ForgeAnswer, ForgeQuestion, ForgeReady } from '../stage/forge.ts';

/** Which issues of which owners to start runs for, and where to see that their agents are at work. */
export interface Start {
  readonly forge: Part<ForgeReady, ForgeQuestion, ForgeAnswer>;
  readonly work: string;
  readonly owners: readonly string[];
  readonly issues: readonly number[];
}

export interface StartedRun {
  readonly owner: string;
  /** The pull request's. */
  readonly number: number;
}

/** Labels the issues as a person would, and waits until all agents are at work and GitHub has been told. */
export async function startRuns({ forge, work, owners, issues }: Start): Promise<readonly StartedRun[]> {
  const { apiUrl, token } = forge.ready;
  const ada = new Octokit({ auth: token, baseUrl: apiUrl });
  await forge.ask({ ask: 'deliver' });
  for (const issue_number of issues) {
    for (const owner of owners) {
      await ada.rest.issues.addLabels({ owner, repo: 'widgets', issue_number, labels: ['coxswain'] });
    }
  }
  const wanted = owners.length * issues.length;
  await until(`${wanted} agents at work`, async () => (await readdir(work).catch(() => [])).length >= wanted);
  await quiet(forge);
  await forge.ask({ ask: 'mute' });
  const pulls = await Promise.all(owners.map((owner) => ada.rest.pulls.list({ owner, repo: 'widgets' })));
  return pulls.flatMap(({ data }, index) =>
    data.map(({ number }) => ({ owner: owners[index] ?? '', number })),
  );
}

/** Until nobody has asked GitHub for anything for a while: what was to be drawn is drawn. */
async function quiet(forge: Start['forge']): Promise<void> {
  const forMs = 4000;
  let before = -1;
  await until('a quiet GitHub', async () => {
    const { requests } = await forge.ask({ ask: 'seen' });
    const same = requests === before;
    before = requests;
    if (!same) await setTimeout(forMs);
    return same;
  });
}

const patienceMs = 240_000;

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`waited ${patienceMs / 1000} s in vain for ${what}`);
    await setTimeout(200);
  }
}
