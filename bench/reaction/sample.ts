import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { secret } from '../door/delivery.ts';
import type { Part } from '../measure/part.ts';
import { type ForgeAnswer, type ForgeQuestion, type ForgeReady, nowMs } from '../stage/forge.ts';
import type { StartedRun } from './start.ts';

/** Who hears a command, and who would if nothing had to be thought about. */
export interface Ear {
  readonly forge: Part<ForgeReady, ForgeQuestion, ForgeAnswer>;
  readonly raw: string;
  readonly webhookUrl: string;
}

export interface Sample {
  /** Until the reaction is at GitHub. */
  readonly ours: number;
  readonly floor: number;
  /** Until our door has answered. */
  readonly remembered: number;
}

/** One command, and before it the same requests made without any thought. Takes `everyMs` in all. */
export async function sampleOf(ear: Ear, run: StartedRun, everyMs: number): Promise<Sample> {
  const rest = setTimeout(everyMs);
  const floor = await bare(ear, run);
  const sample = { ...(await incoming(ear, run)), floor };
  await rest;
  return sample;
}

/** The webhook, who the speaker is, the reaction: one after the other, by a client that only asks. */
async function bare(ear: Ear, run: StartedRun): Promise<number> {
  const comment = await say(ear, run, 'Nothing to do here.');
  const { apiUrl, token } = ear.forge.ready;
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
  const place = `${apiUrl}/repos/${run.owner}/widgets`;
  const began = nowMs();
  await spend(fetch(ear.raw, { method: 'POST', headers: comment.headers, body: comment.body }));
  await spend(fetch(`${place}/collaborators/ada/permission`, { headers }));
  const body = JSON.stringify({ content: 'eyes' });
  await spend(fetch(`${place}/issues/comments/${comment.id}/reactions`, { method: 'POST', headers, body }));
  return (await reactionTo(ear, comment.id)) - began;
}

async function incoming(ear: Ear, run: StartedRun): Promise<Omit<Sample, 'floor'>> {
  const { id, headers, body } = await say(ear, run, '/status');
  const began = nowMs();
  await spend(fetch(ear.webhookUrl, { method: 'POST', headers, body }));
  const remembered = nowMs() - began;
  return { ours: (await reactionTo(ear, id)) - began, remembered };
}

async function spend(asked: Promise<Response>): Promise<void> {
  const response = await asked;
  const text = await response.text();
  if (!response.ok) throw new Error(`could not ask ${response.url}: ${response.status} ${text}`);
}

/** Says it at GitHub, and takes the webhook that follows from there, to be sent when the clock starts. */
async function say({ forge }: Ear, { owner, number }: StartedRun, body: string) {
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

const patienceMs = 60_000;

async function reactionTo({ forge }: Ear, comment: number): Promise<number> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const at = (await forge.ask({ ask: 'seen' })).reactions[comment];
    if (at !== undefined) return at;
    if (performance.now() > end)
      throw new Error(`comment ${comment} got no reaction in ${patienceMs / 1000} s`);
    await setTimeout(5);
  }
}
