import { approve } from './approve.ts';
import { cancel } from './cancel.ts';
import { diff } from './diff.ts';
import { help } from './help.ts';
import { logs } from './logs.ts';
import { reject } from './reject.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { run } from './run.ts';
import { status } from './status.ts';
import { steer } from './steer.ts';
import { verify } from './verify.ts';
import { why } from './why.ts';

/** Every command, in the order in which help lists them. */
export const commandSpecs = {
  run,
  steer,
  approve,
  reject,
  cancel,
  retry,
  verify,
  resume,
  status,
  diff,
  logs,
  why,
  help,
} as const;
