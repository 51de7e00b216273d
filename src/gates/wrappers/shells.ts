import type { Command, Inner } from '../shell/command.ts';
import { fileContent } from '../shell/scope.ts';

export const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'rbash']);

/** The script of `sh -c '…'`, `bash file`, `… | sh` and `sh <<EOF`. */
export function shellScript(command: Command): readonly Inner[] {
  const { args, files, input, path } = command;
  const { mode, operands } = shellArguments(args);
  const [first, ...others] = operands;
  if (mode === 'code') {
    return first === undefined
      ? []
      : [{ kind: 'shell', text: first, positionals: [others[0] ?? path, ...others.slice(1)] }];
  }
  const readsInput = mode === 'input' || first === undefined || first === '-' || first === '/dev/stdin';
  const text = readsInput ? input : fileContent({ files }, first);
  // The script's own commands do not read the script.
  return text === undefined
    ? []
    : [{ kind: 'shell', text, positionals: readsInput ? [path, ...operands] : operands, input: '' }];
}

/** The file that a shell is given as its script; undefined if it is given none. */
export function fileOperand(args: readonly string[]): string | undefined {
  const { mode, operands } = shellArguments(args);
  return mode === 'file' ? operands[0] : undefined;
}

interface ShellArguments {
  readonly mode: 'code' | 'input' | 'file';
  readonly operands: readonly string[];
}

/** `-lc`, `-euo pipefail -c`, `--norc`. */
function shellArguments(args: readonly string[]): ShellArguments {
  let mode: ShellArguments['mode'] = 'file';
  let index = 0;
  for (; /^[-+]./.test(args[index] ?? ''); index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--') {
      index += 1;
      break;
    }
    if (argument === '--command') mode = 'code';
    if (/^--(?:rcfile|init-file)$/.test(argument)) index += 1;
    if (argument.startsWith('--')) continue;
    if (argument.includes('c')) mode = 'code';
    else if (argument.includes('s')) mode = 'input';
    if (/[oO]$/.test(argument)) index += 1;
  }
  return { mode, operands: args.slice(index) };
}
