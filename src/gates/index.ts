export { codeOwnersPaths, maxCodeOwnersBytes, readCodeOwners } from './code-owners.ts';
export { decidingFiles } from './deciding-files.ts';
export {
  type DiffOptions,
  gatesOnDiff,
  gatesOnMoves,
  gatesOnReading,
  linesIn,
  remarksOnTests,
} from './diff/on-diff.ts';
export { type AddedText, codeFiles, isCodeFile, remoteCode } from './diff/remote-code.ts';
export { type CommandOptions, gatesOnCommand } from './on-command.ts';
export { type Finding, type ProofFacts, readTests, type TestsRead } from './weakened/index.ts';
export { isTestFile } from './weakened/test-files.ts';
