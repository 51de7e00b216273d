import * as core from '@actions/core';
import { messageOf } from '../runs/faults.ts';
import { readInputs, readToken } from './inputs.ts';
import { report } from './report.ts';
import { runAction } from './run.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    core.setFailed('the job was cancelled; its attempts are released, so that another job can continue them');
    ending.abort();
  });
}

/** The runner starts this file; an error fails the step with its message. */
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
