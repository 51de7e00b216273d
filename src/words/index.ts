/** The texts that people read on GitHub; the reasons and the evidence in them come from `src/steering`. */

export * from './approvals.ts';
export * from './ask.ts';
export * from './at-work.ts';
export * from './attempts.ts';
export * from './checks.ts';
export * from './confidence.ts';
export * from './evidence.ts';
export * from './gates.ts';
export * from './missing.ts';
export * from './phases/awaiting-answer.ts';
export * from './phases/awaiting-permission.ts';
export * from './phases/awaiting-stage.ts';
export * from './phases/buttons.ts';
export * from './phases/index.ts';
export * from './phases/row.ts';
export * from './phrases.ts';
export * from './policy.ts';
export * from './proof.ts';
export * from './refusals.ts';
export * from './reply.ts';
export * from './resolving.ts';
export * from './review.ts';
export * from './sanitize.ts';
export * from './status.ts';
export * from './stopped.ts';
export * from './why.ts';
