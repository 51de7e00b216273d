/** The texts that people read on GitHub; the reasons and the evidence in them come from `src/steering`. */
export { needLine } from './approvals.ts';
export { asItStands } from './as-it-stands.ts';
export { askText, settledAsk } from './ask.ts';
export { awaitedLines, endText } from './awaited-checks.ts';
export { type CheckText, decisionCheck, verifierCheck } from './checks.ts';
export { changeText, courseReasons } from './course.ts';
export { literal, timeText } from './format.ts';
export { shownHit } from './gate-evidence.ts';
export { helpText } from './help.ts';
export { commit, compareLink, fileLink, pullLink } from './links.ts';
export { missingParts } from './missing.ts';
export { pauseText } from './pausing.ts';
export {
  agentsWord,
  capText,
  evidenceText,
  failedText,
  outcomeTexts,
  scoreText,
  valueText,
  withoutSandbox,
} from './phrases.ts';
export { groundText, mergeText, modeText } from './policy.ts';
export { peopleReasons, ruleText } from './proceeding.ts';
export { type ProofLine, proofLines, redBefore } from './proof.ts';
export { refusalText } from './refusals.ts';
export { replyText } from './reply.ts';
export {
  addressed,
  code,
  codeInCell,
  cut,
  fenced,
  inert,
  inertTitle,
  mention,
  plain,
  quoted,
  tame,
} from './sanitize.ts';
export type { DiffText, Sources } from './sources.ts';
export { statusText } from './status.ts';
export { nowText, supersededText } from './superseded.ts';
export {
  lostCheck,
  notARunCheck,
  otherBaseCheck,
  supersededCheck,
  withheldCheck,
} from './undecided-checks.ts';
export { decisionText, whyText } from './why.ts';
