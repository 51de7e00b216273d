import { changesAutomation as automationFiles } from '../../path-rules/automation.ts';
import { commandRule } from '../command-rule.ts';
import { writes } from '../paths.ts';

/** Commands that change what runs by itself. */
export const changesAutomation = commandRule(
  'changes-automation',
  `
  gh workflow enable|disable
  git config … core.hookspath *
`,
  (command, { isAgentSetting }) =>
    writes(command, (path) => automationFiles.matches(path) || isAgentSetting?.(path) === true),
);
