/** The texts that people read on GitHub; the reasons and the evidence in them come from `src/steering`. */
export * from './ask.ts';
export * from './at-work.ts';
export * from './checks.ts';
export * from './gates.ts';
export * from './missing.ts';
export * from './permission.ts';
export * from './phrases.ts';
export * from './policy.ts';
export * from './proof.ts';
export * from './question.ts';
export * from './refusals.ts';
export * from './reply.ts';
export * from './sanitize.ts';
export * from './status.ts';
export * from './stopped.ts';
export * from './why.ts';
