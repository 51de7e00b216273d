import type { Command } from '../shell/command.ts';

const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

/** Whether a command prints a variable of the environment that is named like a secret. */
export function printsSecretVariable({ program, args }: Command): boolean {
  return program === 'printenv' && args.some((argument) => secretName.test(argument));
}
