import { gatesOnCommand, gatesOnReading } from '../gates/index.ts';
import type { GateHit } from '../steering/attempt-result.ts';
import type { PermissionRequest } from './port.ts';

/** The gate rules that match a tool call, before it is made or afterwards. */
export function gatesOnCall({ kind, command, isCut, paths = [] }: PermissionRequest): readonly GateHit[] {
  const byCommand = command === undefined ? [] : gatesOnCommand(command, { isWhole: isCut !== true });
  // What an edit changes is judged on the diff, with everything else that changes.
  return kind === 'read' ? [...byCommand, ...gatesOnReading(paths)] : byCommand;
}
