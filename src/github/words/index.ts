export { askText, settledAsk } from './ask.ts';
export {
  type CheckText,
  decisionCheck,
  lostCheck,
  notARunCheck,
  otherBaseCheck,
  supersededCheck,
  verifierCheck,
  withheldCheck,
} from './checks.ts';
export { shownHit } from './gates.ts';
/** The texts that people read on GitHub; the reasons and the evidence in them come from `src/steering`. */
export { asItStands, missingParts, needLine } from './missing.ts';
export {
  agentsWord,
  awaitedLines,
  capText,
  commit,
  compareLink,
  endText,
  evidenceText,
  failedText,
  fileLink,
  nowText,
  outcomeTexts,
  pauseText,
  pullLink,
  scoreText,
  supersededText,
  valueText,
  withoutSandbox,
} from './phrases.ts';
export { groundText, mergeText, modeText, peopleReasons, ruleText } from './policy.ts';
export { type ProofLine, proofLines, redBefore } from './proof.ts';
export { refusalText } from './refusals.ts';
export { helpText, replyText } from './reply.ts';
export {
  addressed,
  code,
  codeInCell,
  cut,
  fenced,
  inert,
  inertTitle,
  literal,
  mention,
  plain,
  quoted,
  tame,
  timeText,
} from './sanitize.ts';
export type { DiffText, Sources } from './sources.ts';
export { statusText } from './status.ts';
export { changeText, courseReasons, decisionText, whyText } from './why.ts';
