import * as core from '@actions/core';
import { readInputs } from './inputs.ts';
import { report } from './report.ts';
import { runAction } from './run.ts';

/** The runner starts this file; what goes wrong fails the step with a sentence. */
try {
  core.setSecret(core.getInput('github-token'));
  const inputs = readInputs();
  const states = await runAction(inputs, {
    debug: (message) => core.debug(message),
    info: (message) => core.info(message),
    warn: (message) => core.warning(message),
    error: (message) => core.error(message),
  });
  await report(states, inputs.serverUrl);
} catch (fault) {
  core.setFailed(fault instanceof Error ? fault.message : String(fault));
}
