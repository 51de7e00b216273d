import * as core from '@actions/core';
import { messageOf } from '../repository/faults.ts';
import { shortSha } from '../steering/phrases/phrases.ts';
import { shownPhase } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { readInputs, readToken, workFrom } from './inputs.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    core.setFailed('the job was cancelled; its unfinished work is released for another job');
    ending.abort();
  });
}

/** The runner starts this file; an error fails the step with its message. */
try {
  core.setSecret(readToken());
  const inputs = await readInputs();
  // What only an operator or an owner can put right must not end in a green job.
  const log = { debug: core.debug, info: core.info, warn: core.warning, error: core.setFailed };
  const work = workFrom(inputs);
  if (work.kind === 'nothing') core.info(`this ${inputs.eventName} event does not concern a run`);
  else {
    // Most events do not concern a run, so the rest is only loaded now.
    const { runAction } = await import('./run-action.ts');
    await report(await runAction({ inputs, work, log, ending: ending.signal }), inputs.serverUrl);
  }
} catch (fault) {
  core.setFailed(messageOf(fault));
  // Whoever started it by hand looks there. That the summary cannot be written does not hide the fault.
  await core.summary
    .addRaw(`${messageOf(fault)}\n`)
    .write()
    .catch(core.debug);
}

/** Reports the outcome to the workflow: outputs for its steps and a summary for people. */
async function report(states: readonly State[], serverUrl: string): Promise<void> {
  const [state] = states;
  if (state === undefined) {
    await core.summary
      .addRaw('No run was changed. If someone requested one, the reply to them explains why.\n')
      .write();
    return;
  }
  // A sweep may cover many runs; then the outputs stay empty.
  if (states.length === 1) {
    for (const [name, value] of Object.entries(outputsOf(state, serverUrl))) core.setOutput(name, value);
  }
  const header = ['Run', 'Phase', 'Iteration', 'Confidence', 'Head'].map((data) => ({ data, header: true }));
  const rows = states.map((each) => rowOf(each, serverUrl));
  await core.summary
    .addHeading('Coxswain')
    .addTable([header, ...rows])
    .write();
}

/** They are declared in `action.yml`; one is empty if there is no value yet. */
function outputsOf(state: State, serverUrl: string) {
  const { run, shown, head, iteration } = state;
  return {
    run: run.id,
    'pull-request': String(run.number),
    url: `${serverUrl}/${run.owner}/${run.repo}/pull/${run.number}`,
    phase: shownPhase(state),
    confidence: shown === null ? '' : String(shown.confidence.score),
    band: shown?.confidence.band ?? '',
    'head-sha': head,
    iteration: String(iteration),
  };
}

/** The summary is HTML; the only user input in these cells are names that GitHub allows. */
function rowOf(state: State, serverUrl: string): string[] {
  const outputs = outputsOf(state, serverUrl);
  const link = `<a href="${outputs.url}">${outputs.run}</a>`;
  const confidence = outputs.confidence === '' ? '–' : `${outputs.confidence} (${outputs.band})`;
  return [link, outputs.phase, outputs.iteration, confidence, shortSha(outputs['head-sha'])];
}
