import { read } from '../arguments/grammars.ts';
import { valuesOf } from '../arguments/options.ts';
import type { Command } from '../shell/command.ts';

/** The options that name a context, by program. */
const contexts: Readonly<Record<string, readonly string[]>> = {
  kubectl: ['--context'],
  oc: ['--context'],
  flux: ['--context'],
  istioctl: ['--context'],
  helm: ['--kube-context'],
  helmfile: ['--kube-context'],
  skaffold: ['--kube-context'],
};

/** Whether a command names a cluster, and only ones that the owners call safe. */
export function isOnSafeCluster(command: Command, safe: readonly string[]): boolean {
  const options = contexts[command.program];
  if (options === undefined || safe.length === 0) return false;
  const named = [...valuesOf(read(command), ...options), ...following(command.args, options)];
  return named.length > 0 && named.every((name) => safe.includes(name));
}

/** Whatever the grammar says, the word behind the option is its value. */
function following(args: readonly string[], options: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => {
    const [name = '', value] = argument.split('=', 2);
    if (!options.includes(name)) return [];
    return [value ?? args[index + 1] ?? ''];
  });
}
