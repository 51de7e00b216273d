/** The texts that people read on GitHub; the reasons and the evidence in them come from `src/steering`. */

export * from './check-texts.ts';
export * from './parts/approval-texts.ts';
export * from './parts/asking-texts.ts';
export * from './parts/attempt-texts.ts';
export * from './parts/common-phrases.ts';
export * from './parts/confidence.ts';
export * from './parts/evidence-texts.ts';
export * from './parts/resolution-texts.ts';
export * from './parts/risk.ts';
export * from './parts/sanitize.ts';
export * from './parts/tests.ts';
export * from './phases/awaiting-answer.ts';
export * from './phases/awaiting-permission.ts';
export * from './phases/awaiting-stage.ts';
export * from './phases/index.ts';
export * from './phases/row.ts';
export * from './refusals.ts';
export * from './reply.ts';
export * from './run-table.ts';
export * from './status-text.ts';
export * from './why-text.ts';
