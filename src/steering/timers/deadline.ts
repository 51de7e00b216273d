/** What a run waits for besides events. */
export interface Deadline {
  readonly kind: TimerKind;
  /** ISO 8601 */
  readonly at: string;
}

/** `proceed`: people have had their time to say something. `checks`: so has the repository's own CI. */
export type TimerKind = 'review' | 'reminder' | 'proceed' | 'checks';

/** How much of the time to answer has passed, in percent, when people are reminded. */
export type ReminderPercent = 50 | 90;
