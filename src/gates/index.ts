export { gatesOnDiff } from './paths.ts';
