import type { CommandNode, CompoundList, SyntaxNode } from 'unbash';
import type { Command } from './command.ts';
import { Unclear } from './parse.ts';
import type { Scope } from './scope.ts';

/** Who is told what a line would do. */
export interface Findings {
  /** A program would start. */
  command(command: Command): void;
  /** What was downloaded would run. */
  runsDownload(text: string): void;
  /** What would run cannot be told. */
  unclear(reason: string, text: string): void;
}

/** Where a part of a script runs. */
export interface Flow {
  readonly scope: Scope;
  readonly findings: Findings;
  /** Follows a node of the syntax tree without doing anything; gives what it would print. */
  readonly walk: (node: SyntaxNode, flow: Flow) => string;
  /** What its commands read from standard input; absent if that is not known to be anything. */
  readonly input?: string;
  readonly positionals?: readonly string[];
  /** How many lists, substitutions, functions and shells it is inside. */
  readonly depth: number;
  /** The bodies of functions and the aliases that it is inside: none is followed into itself. */
  readonly active: ReadonlySet<CommandNode | CompoundList | string>;
}

/** Deeper than anyone nests; the time to parse grows with the depth. */
const maxDepth = 40;

export function deeper(flow: Flow): Flow {
  if (flow.depth >= maxDepth) throw new Unclear(`nested more than ${maxDepth} levels deep`);
  return { ...flow, depth: flow.depth + 1 };
}

/** The same place, with another standard input. */
export function reading(flow: Flow, input: string | undefined): Flow {
  if (input !== undefined) return { ...flow, input };
  const { input: _, ...rest } = flow;
  return rest;
}
