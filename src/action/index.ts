import * as core from '@actions/core';
import { messageOf } from '../runs/faults.ts';
import { readInputs, readToken } from './inputs.ts';
import { report } from './report.ts';
import { runAction } from './run.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    core.setFailed('the job was ended from outside; what was at work is given back to whoever comes next');
    ending.abort();
  });
}

/** The runner starts this file; what goes wrong fails the step with a sentence. */
try {
  core.setSecret(readToken());
  const inputs = readInputs();
  const log = { debug: core.debug, info: core.info, warn: core.warning, error: core.error };
  const states = await runAction(inputs, log, ending.signal);
  if (states === undefined) core.info(`this ${inputs.eventName} concerns no run`);
  else await report(states, inputs.serverUrl);
} catch (fault) {
  core.setFailed(messageOf(fault));
}
