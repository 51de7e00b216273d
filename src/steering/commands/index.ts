import type { Command, CommandName } from '../command.ts';
import { approve } from './approve.ts';
import { cancel } from './cancel.ts';
import { diff } from './diff.ts';
import { help } from './help.ts';
import { logs } from './logs.ts';
import { reject } from './reject.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { run } from './run.ts';
import type { CommandSpec, Said } from './spec.ts';
import { status } from './status.ts';
import { steer } from './steer.ts';
import { verify } from './verify.ts';
import { why } from './why.ts';

/** Every command, in the order in which help lists them. */
export const commandSpecs: { readonly [N in CommandName]: CommandSpec<N> } = {
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
};

export const commandNames: readonly CommandName[] = Object.values(commandSpecs).map(({ name }) => name);

/** Parses a slash command; undefined when its name is not one of ours. */
export function parseSlashCommand(said: Said): Command | undefined {
  const name = commandNames.find((known) => known === said.word.toLowerCase());
  if (name === undefined) return undefined;
  const parsed = commandSpecs[name].parse(said);
  return 'problem' in parsed ? { type: 'misspoken', name, problem: parsed.problem } : parsed;
}
