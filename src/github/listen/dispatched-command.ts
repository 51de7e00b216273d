import { type Command, commandSpecs } from '../../steering/commands/index.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';

/** What the inputs of a manual start say on a run. */
export interface DispatchedCommand {
  /** Of the run's pull request. */
  readonly number: number;
  readonly command: Command;
}

/**
 * The command of the inputs `run` and `command`, or why it cannot be said; undefined if they have none. The
 * fields of a form have one line, so `\n` stands for the next one.
 */
export function dispatchedCommand({
  inputs,
  repository,
}: Pick<GitHubEventOf<'dispatch'>, 'inputs' | 'repository'>):
  | DispatchedCommand
  | { readonly problem: string }
  | undefined {
  const [run, text] = [inputs['run'] ?? '', inputs['command'] ?? ''].map((each) => each.trim());
  if (!run && !text) return undefined;
  if (!text)
    return { problem: 'input command is empty: expected what to say there, as in `command: /retry`' };
  const number = numberIn(run ?? '', `${repository.owner}/${repository.name}`);
  if (number === undefined)
    return {
      problem:
        `input run is ${JSON.stringify(run)}: expected the pull request of a run of ` +
        `${repository.owner}/${repository.name}, by its number or address, as in \`run: '#12'\``,
    };
  const command = commandIn(text);
  return 'problem' in command ? command : { number, command };
}

/** A repository with what stands before a number. */
const named = String.raw`(?:https?:\/\/[^/\s]+\/)?([\w.-]+\/[\w.-]+)(?:#|\/(?:pull|issues)\/)`;

/** `12`, `#12`, `acme/api#12` or its address. */
function numberIn(run: string, repository: string): number | undefined {
  const [, name, number] = new RegExp(`^(?:${named}|#)?([1-9]\\d{0,8})(?:[/?#]\\S*)?$`).exec(run) ?? [];
  const isHere = name === undefined || name.toLowerCase() === repository.toLowerCase();
  return isHere && number !== undefined ? Number(number) : undefined;
}

function commandIn(text: string): Command | { readonly problem: string } {
  const was = `input command is ${JSON.stringify(text)}`;
  const command = parseCommand(text.replaceAll('\\n', '\n'));
  if (command === undefined)
    return { problem: `${was}: expected a command, as in \`command: /steer Use BigInt\`` };
  if (command.type === 'run')
    return { problem: `${was}: expected a command for a run; the input prompt starts one` };
  if (command.type !== 'misspoken') return command;
  return { problem: `${was}: ${command.problem}. Usage: ${commandSpecs[command.name].usage}` };
}
