import type { Command, CommandName } from '../command.ts';
import type { SlashCommand } from './spec.ts';
import { commandSpecs } from './specs.ts';

export { commandSpecs } from './specs.ts';

export const commandNames: readonly CommandName[] = Object.values(commandSpecs).map(({ name }) => name);

/** Parses a slash command; undefined when its name is not one of ours. */
export function parseSlashCommand(given: SlashCommand): Command | undefined {
  const name = commandNames.find((known) => known === given.word.toLowerCase());
  if (name === undefined) return undefined;
  const parsed = commandSpecs[name].parse(given);
  return 'problem' in parsed ? { type: 'misspoken', name, problem: parsed.problem } : parsed;
}
