import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ForgeAnswer, ForgeQuestion, ForgeReady } from '../environment/forge.ts';
import { nowMs } from '../measure/clock.ts';
import type { Part } from '../measure/part.ts';
import { secret } from '../server/delivery.ts';
import type { StartedRun } from './start.ts';

/** Where a command is sent: to the App, and for the floor to the `raw` server. */
export interface SampleTargets {
  readonly forge: Part<ForgeReady, ForgeQuestion, ForgeAnswer>;
  readonly raw: string;
  readonly webhookUrl: string;
}

export interface Latency {
  /** Until the reaction exists on GitHub. */
  readonly ours: number;
  readonly floor: number;
  /** Until the App has answered the webhook. */
  readonly answered: number;
}

/** Measures the floor and then one command; takes `everyMs` in all. */
export async function takeSample(targets: SampleTargets, run: StartedRun, everyMs: number): Promise<Latency> {
  const pause = setTimeout(everyMs);
  const floor = await measureFloor(targets, run);
  const sample = { ...(await measureCommand(targets, run)), floor };
  await pause;
  return sample;
}

/** The webhook, the author's role and the reaction: three requests one after the other, without any logic. */
async function measureFloor(targets: SampleTargets, run: StartedRun): Promise<number> {
  const posted = await comment(targets, run, 'Nothing to do here.');
  const { apiUrl, token } = targets.forge.ready;
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
  const repository = `${apiUrl}/repos/${run.owner}/widgets`;
  const began = nowMs();
  await send(fetch(targets.raw, { method: 'POST', headers: posted.headers, body: posted.body }));
  await send(fetch(`${repository}/collaborators/ada/permission`, { headers }));
  const body = JSON.stringify({ content: 'eyes' });
  await send(
    fetch(`${repository}/issues/comments/${posted.id}/reactions`, { method: 'POST', headers, body }),
  );
  return (await reactionTo(targets, posted.id)) - began;
}

async function measureCommand(targets: SampleTargets, run: StartedRun): Promise<Omit<Latency, 'floor'>> {
  const { id, headers, body } = await comment(targets, run, '/status');
  const began = nowMs();
  await send(fetch(targets.webhookUrl, { method: 'POST', headers, body }));
  const answered = nowMs() - began;
  return { ours: (await reactionTo(targets, id)) - began, answered };
}

async function send(request: Promise<Response>): Promise<void> {
  const response = await request;
  const text = await response.text();
  if (!response.ok) throw new Error(`could not request ${response.url}: ${response.status} ${text}`);
}

/** Posts a comment on GitHub and returns its webhook, which is sent when the clock starts. */
async function comment({ forge }: SampleTargets, { owner, number }: StartedRun, body: string) {
  const { id, payload } = await forge.ask({ ask: 'comment', owner, number, body });
  const text = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issue_comment',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return { id, headers, body: text };
}

const timeoutMs = 60_000;

async function reactionTo({ forge }: SampleTargets, comment: number): Promise<number> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const at = (await forge.ask({ ask: 'status' })).reactions[comment];
    if (at !== undefined) return at;
    if (performance.now() > end)
      throw new Error(`comment ${comment} got no reaction in ${timeoutMs / 1000} s`);
    await setTimeout(5);
  }
}
