export { codeOwnersPaths, maxCodeOwnersBytes, readCodeOwners } from './code-owners.ts';
export { decidingFiles } from './commands/named-files.ts';
export { type AddedText, codeFiles, isCodeFile, remoteCode } from './diff/added-lines.ts';
export {
  type DiffOptions,
  gatesOnCommand,
  gatesOnDiff,
  gatesOnMoves,
  gatesOnReading,
  linesIn,
  remarksOnTests,
} from './gate-hits.ts';
export { type Finding, type ProofFacts, readTests, type TestsRead } from './weakened/index.ts';
export { isTestFile } from './weakened/test-files.ts';
