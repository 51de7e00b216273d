export { gatesOnCommand } from './commands/on-command.ts';
export { gatesOnDiff, gatesOnReading } from './paths.ts';
export { type AddedText, codeFiles, remoteCode } from './remote-code.ts';
