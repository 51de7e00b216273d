import type { Command } from '../commands/command.ts';
import { valuesOf } from '../commands/options.ts';

/** The options that name a context, by program. */
const contexts: Readonly<Record<string, string>> = {
  ...{ kubectl: '--context', oc: '--context', flux: '--context', istioctl: '--context' },
  ...{ helm: '--kube-context', helmfile: '--kube-context', skaffold: '--kube-context' },
};

/** Whether a command names a cluster, and only ones that the owners call safe. */
export function isOnSafeCluster({ args, program }: Command, safe: readonly string[]): boolean {
  const named = valuesOf(args, contexts[program] ?? '--none');
  return named.length > 0 && named.every((name) => safe.includes(name));
}
