export { gatesOnDiff, gatesOnReading } from './paths.ts';
export { type AddedText, codeFiles, remoteCode } from './remote-code.ts';
