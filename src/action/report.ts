import { setOutput, summary } from '@actions/core';
import type { State } from '../steering/state.ts';

/** Tells the workflow what became of the run: outputs for its steps, a summary for people. */
export async function report(states: readonly State[], serverUrl: string): Promise<void> {
  const [state] = states;
  if (state === undefined) {
    await summary.addRaw('Nothing here concerned a run of Coxswain.\n').write();
    return;
  }
  for (const [name, value] of Object.entries(outputsOf(state, serverUrl))) setOutput(name, value);
  const rows = states.map((each) => {
    const { run, band, phase, iteration } = outputsOf(each, serverUrl);
    return [run, phase, iteration, band];
  });
  const header = ['Run', 'Phase', 'Iteration', 'Confidence'].map((data) => ({ data, header: true }));
  await summary
    .addHeading('Coxswain')
    .addTable([header, ...rows])
    .write();
}

/** As `action.yml` declares them; empty where there is nothing yet. */
function outputsOf(state: State, serverUrl: string): Readonly<Record<OutputName, string>> {
  const { run, shown, standing, head, iteration } = state;
  return {
    run: run.id,
    'pull-request': String(run.number),
    url: `${serverUrl}/${run.owner}/${run.repo}/pull/${run.number}`,
    phase: standing.phase,
    confidence: shown === null ? '' : String(shown.confidence.score),
    band: shown?.confidence.band ?? '',
    'head-sha': head,
    iteration: String(iteration),
  };
}

type OutputName = 'run' | 'pull-request' | 'url' | 'phase' | 'confidence' | 'band' | 'head-sha' | 'iteration';
