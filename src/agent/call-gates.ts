import { gatesOnCommand, gatesOnReading } from '../gates/index.ts';
import { isAgentSetting } from '../profiles/index.ts';
import type { GateHit } from '../steering/attempt-result.ts';
import type { GateSettings } from '../steering/settings.ts';
import type { PermissionRequest } from './port.ts';

/** The gate rules that match a tool call, before it is made or afterwards. */
export function gatesOnCall(
  { kind, command, isCut, paths = [] }: PermissionRequest,
  gates?: GateSettings,
): readonly GateHit[] {
  const options = { isWhole: isCut !== true, isAgentSetting, ...(gates !== undefined && { gates }) };
  const byCommand = command === undefined ? [] : gatesOnCommand(command, options);
  // What an edit changes is judged on the diff, with everything else that changes.
  return kind === 'read' ? [...byCommand, ...gatesOnReading(paths, gates)] : byCommand;
}
