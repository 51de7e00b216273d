import * as core from '@actions/core';
import { messageOf } from '../runs/repository/faults.ts';
import { readInputs, readToken } from './inputs.ts';
import { workFrom } from './job-work.ts';
import { report } from './report.ts';

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
    const { runAction } = await import('./run.ts');
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
