import { isCritical } from '../iterations/held-work.ts';
import type { GateHit } from '../shapes/attempt-result.ts';
import { meaningOf } from '../shapes/gate-rules.ts';
import type { PermissionSettings, Permit } from '../shapes/settings.ts';
import { ruleOfKind } from './tool-calls.ts';

/** What decides about a tool call before it is made. */
interface Permitting {
  readonly permissions: PermissionSettings;
  /** It runs in a sandbox, so that nothing outside of the workspace can be changed. */
  readonly sandboxed: boolean;
  /** What people have always allowed in this run. */
  readonly allowed_rules: readonly string[];
}

/** A kind of the protocol, and the gates that match the call. */
interface Call {
  readonly kind: string;
  readonly hits: readonly GateHit[];
}

/** How often people are asked in one attempt: whoever is asked more often stops reading. */
export const maxAsks = 3;

/** Where nothing is written. */
export const usualPermissions: PermissionSettings = {
  edit: 'allow',
  delete: 'allow',
  move: 'allow',
  execute: 'allow',
  rules: {},
  hold_s: 120,
};

/** The strictest answer of the call's kind and of each rule that matches it. */
export function permitFor({ kind, hits }: Call, permitting: Permitting): Permit {
  const answers = [
    permitOfKind(kind, permitting),
    ...hits.map((hit) => permitOfHit(hit, { kind, ...permitting })),
  ];
  return strictestFirst.find((permit) => answers.includes(permit)) ?? 'deny';
}

const strictestFirst: readonly Permit[] = ['deny', 'ask', 'allow'];

/** They only look, wherever they do. */
const looking = ['read', 'search', 'think', 'fetch'];

function permitOfKind(kind: string, { permissions, allowed_rules }: Permitting): Permit {
  if (looking.includes(kind)) return 'allow';
  // Such as to a mode in which it no longer asks.
  if (kind === 'switch_mode') return 'deny';
  const isNamed = kind === 'edit' || kind === 'delete' || kind === 'move';
  const permit = permissions[isNamed ? kind : 'execute'];
  return permit === 'ask' && allowed_rules.includes(ruleOfKind(kind)) ? 'allow' : permit;
}

function permitOfHit(hit: GateHit, { kind, ...permitting }: Permitting & { readonly kind: string }): Permit {
  const { permissions, allowed_rules } = permitting;
  const usual = isJudgedOnDiff({ kind, hit }, permitting) ? 'allow' : 'ask';
  const permit = permissions.rules[hit.rule] ?? usual;
  const isAllowed = !isCritical(hit) && allowed_rules.includes(hit.rule);
  return permit === 'ask' && isAllowed ? 'allow' : permit;
}

/** Kinds that only change files of the workspace, whatever they are. */
const editing = ['edit', 'delete', 'move'];

/** Whether the diff says all that there is to say about it. */
export function isJudgedOnDiff(
  { kind, hit }: { readonly kind: string; readonly hit: GateHit },
  { sandboxed }: Pick<Permitting, 'sandboxed'>,
): boolean {
  return sandboxed && (editing.includes(kind) || meaningOf(hit.rule)?.calls === 'workspace');
}
