/** The name of one of our gate rules. */
export type GateRule =
  | 'deletes-files'
  | 'drops-data'
  | 'changes-production'
  | 'installs-system-packages'
  | 'touches-secrets'
  | 'rewrites-history'
  | 'loosens-permissions'
  | 'changes-automation'
  | 'weakens-tests'
  | 'runs-remote-code'
  | 'critical-task'
  | 'unparsable';
