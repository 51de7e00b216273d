import { setOutput, summary } from '@actions/core';
import { shortSha } from '../steering/phrases/short-sha.ts';
import { shownPhase } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';

/** Reports the outcome to the workflow: outputs for its steps and a summary for people. */
export async function report(states: readonly State[], serverUrl: string): Promise<void> {
  const [state] = states;
  if (state === undefined) {
    await summary
      .addRaw('No run was changed. If someone requested one, the reply to them explains why.\n')
      .write();
    return;
  }
  // A sweep may cover many runs; then the outputs stay empty.
  if (states.length === 1) {
    for (const [name, value] of Object.entries(outputsOf(state, serverUrl))) setOutput(name, value);
  }
  const header = ['Run', 'Phase', 'Iteration', 'Confidence', 'Head'].map((data) => ({ data, header: true }));
  const rows = states.map((each) => rowOf(each, serverUrl));
  await summary
    .addHeading('Coxswain')
    .addTable([header, ...rows])
    .write();
}

/** As declared in `action.yml`; empty if there is no value yet. */
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
