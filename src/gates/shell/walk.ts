import type { Redirected } from 'unbash';
import {
  type For,
  type Function as FunctionNode,
  forEachChild,
  type Pipeline,
  type Select,
  type SyntaxNode,
} from 'unbash';
import type { Command } from './command.ts';
import { fieldsOf, runScripts, textOf } from './expand.ts';
import { deeper, type Findings, type Flow, reading } from './flow.ts';
import { printed } from './marks.ts';
import { redirected } from './redirect.ts';
import { assign, emptyScope } from './scope.ts';
import { kept, simpleCommand } from './simple.ts';
import { guarded, interpret } from './start.ts';
import { expansionAt } from './substitution.ts';

/** Tells what a command line would do if a shell ran it, following every branch. */
export function follow(line: string, findings: Findings): void {
  const scope = emptyScope();
  const flow: Flow = { scope, findings, walk, depth: 0, active: new Set() };
  interpret(line, flow);
  // A function that the line only defines may be called by what comes later.
  for (const [name, body] of scope.functions) {
    if (!scope.called.has(name)) guarded(name, flow, () => walk(body, flow));
  }
}

function walk(node: SyntaxNode, flow: Flow): string {
  switch (node.type) {
    case 'Command':
      return simpleCommand(node, flow);
    case 'Pipeline':
      return pipeline(node, flow);
    case 'Redirected':
      return compoundWithRedirections(node, flow);
    case 'Function':
      return define(node, flow);
    case 'For':
    case 'Select':
      return loop(node, flow);
    case 'Word':
      textOf(node, expansionAt(flow));
      return '';
    case 'TestCommand':
    case 'ArithmeticCommand':
      runScripts(node, expansionAt(flow));
      return '';
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part !== undefined) runScripts(part, expansionAt(flow));
      }
      return walk(node.body, flow);
    case 'CompoundList':
      return children(node, deeper(flow));
    default:
      return children(node, flow);
  }
}

/** Each of a node's parts in turn; what they print together. */
function children(node: SyntaxNode, flow: Flow): string {
  let output = '';
  forEachChild(node, (child) => {
    output += walk(child, flow);
  });
  return output;
}

function pipeline({ commands }: Pipeline, flow: Flow): string {
  let inside = flow;
  let output = '';
  for (const command of commands) {
    output = walk(command, inside);
    inside = reading(flow, output === '' ? printed : output);
  }
  return output;
}

function compoundWithRedirections({ command, redirects }: Redirected, flow: Flow): string {
  const io = redirected(redirects, expansionAt(flow));
  if (io.uses.length > 0) flow.findings.command({ ...group, redirects: io.uses });
  return kept(walk(command, io.input === undefined ? flow : reading(flow, io.input)), io, flow);
}

/** Several commands with the same redirections; what they do is found where they stand. */
const group: Command = {
  ...{ program: '{ … }', path: '{ … }', args: [], ownArgs: [], redirects: [] },
  input: undefined,
  files: new Map(),
};

function define({ name, body }: FunctionNode, { scope }: Flow): string {
  scope.functions.set(name.value, body);
  return '';
}

/** The body is followed once: its variable has all values at the same time. */
function loop({ name, wordlist, body }: For | Select, flow: Flow): string {
  const items = wordlist === undefined ? [] : fieldsOf(wordlist, expansionAt(flow));
  for (const item of items) assign(flow.scope, name.value, [item]);
  return walk(body, flow);
}
