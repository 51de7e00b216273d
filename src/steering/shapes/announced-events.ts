/** Every announcement that others can hear of, by its name. */
export const announcedEvents = [
  ...['run_started', 'attempt_started', 'attempt_finished'],
  ...['approval_requested', 'approval_received', 'approval_rejected', 'approval_revoked'],
  ...['approval_timed_out', 'steer_instruction', 'question_asked', 'question_answered'],
  ...['interrupt_raised', 'interrupt_resolved', 'permission_requested', 'permission_settled'],
  ...['stage_shown', 'stage_settled', 'reminder', 'run_finished'],
] as const;

export type AnnouncedEvent = (typeof announcedEvents)[number];

/** What a target hears where a repository names no events: that people are waited for, and how it ended. */
export const usualEvents: readonly AnnouncedEvent[] = [
  ...(['approval_requested', 'question_asked', 'stage_shown', 'permission_requested'] as const),
  ...(['interrupt_raised', 'reminder', 'approval_timed_out', 'run_finished'] as const),
];
