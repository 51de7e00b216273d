import { parseCommand } from '../github/markdown/command-parser.ts';
import type { CommandName } from '../steering/commands/index.ts';
import { followsApproval } from '../steering/policy.ts';

/**
 * Who can reach the page. It speaks with the account of one person to all who have its key: where others than
 * the people at this machine can have it, nobody can tell who said a word here.
 */
export type Reach = 'this_machine' | 'network';

/** Whether a command settles what `approval.by` decides, and so is said only where GitHub knows by whom. */
export function isSaidOnGitHubOnly(name: CommandName, reach: Reach): boolean {
  return reach === 'network' && followsApproval(name);
}

/** The command that Coxswain would read in a comment, even if it were misspoken. */
export function commandNameIn(body: string): CommandName | undefined {
  const command = parseCommand(body);
  return command?.type === 'misspoken' ? command.name : command?.type;
}
