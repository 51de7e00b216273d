/** The texts that people read on GitHub; the reasons and the evidence in them come from `src/steering`. */
export { needLine } from './approvals.ts';
export { asItStands } from './as-it-stands.ts';
export { askText, settledAsk } from './ask.ts';
export { awaitedLines, endText } from './awaited-checks.ts';
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
export { commit, compareLink, fileLink, pullLink } from './links.ts';
export { missingParts } from './missing.ts';
export {
  agentsWord,
  capText,
  evidenceText,
  failedText,
  outcomeTexts,
  pauseText,
  scoreText,
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
export { nowText, supersededText } from './superseded.ts';
export { changeText, courseReasons, decisionText, whyText } from './why.ts';
