import type { CommandName, CommandOf } from './commands/index.ts';
import type { EventOf, EventType } from './event.ts';
import type { Phase } from './standing.ts';
import type { In } from './state.ts';
import type { CommandEvent, Step } from './step.ts';

/** Read-only commands, answered the same way in every phase. */
export const queryCommands = [
  'status',
  'diff',
  'logs',
  'why',
  'help',
] as const satisfies readonly CommandName[];

export type QueryCommand = (typeof queryCommands)[number];
export type ActionCommand = Exclude<CommandName, QueryCommand>;

/** Events that every phase must handle, if only with `ignored`. */
export type PhaseEvent = Exclude<EventType, 'run_started' | 'said' | 'spoke' | 'settled' | 'sealed'>;

/** A command event whose command is known. */
export type CommandEventOf<N extends CommandName> = CommandEvent & { readonly command: CommandOf<N> };

/**
 * One phase: the commands available in it, and how it handles every event.
 * A command without an entry is refused; an event without one does not compile.
 */
export interface Row<P extends Phase> {
  readonly commands: { readonly [N in ActionCommand]?: (state: In<P>, event: CommandEventOf<N>) => Step };
  readonly events: { readonly [F in PhaseEvent]: (state: In<P>, event: EventOf<F>) => Step };
}

/** The event changes nothing here and makes no commit. */
export const ignored = (): Step => 'nothing';
