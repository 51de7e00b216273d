import type { MachineSettings } from '../agent/index.ts';
import type { AppSettings } from './settings.ts';

/** What the operator says about this machine, for its sandbox. */
export function machineSettings({ readable, sandboxUser, operatorFile }: AppSettings): MachineSettings {
  return { readable, limits: operatorFile.resources, ...(sandboxUser !== null && { user: sandboxUser }) };
}
