import type { Announcement } from '../steering/announcements.ts';

/** What a target is told. All texts are plain ones, which strangers and agents may have written parts of. */
export interface Message {
  /** It is the same for every try: whoever has taken it once can leave it the next time. */
  readonly id: string;
  /** `test`: the operator tries whether the target can be reached. */
  readonly announcement: Announcement | { readonly event: 'test'; readonly time: string };
  /** What happened, as in `acme/widgets#7: Steering iteration 2 complete`; what is sent is one line. */
  readonly title: string;
  /** What there is to know before one decides; what is sent is bounded. */
  readonly lines: readonly string[];
  /** Where people decide. */
  readonly url: string;
  /** What the target called the place of earlier messages of the run; absent if it has none. */
  readonly thread?: string;
}

/** What became of one try. */
export type Sent =
  /** `thread`: what the target calls the place in which it keeps the messages of this run. */
  { readonly outcome: 'accepted'; readonly thread?: string } | Refused;

/** `reason`: what people read of it. `forGood`: no other try would change that. */
export interface Refused {
  readonly outcome: 'refused';
  readonly reason: string;
  readonly forGood: boolean;
}

/** Reaches the operator's targets by their names. */
export interface Notifier {
  readonly names: readonly string[];
  /** One try, within seconds. Never throws: what goes wrong is an answer. */
  send(name: string, message: Message, signal: AbortSignal): Promise<Sent>;
}

/** A POST of JSON that is to be sent. */
export interface Posting {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}
