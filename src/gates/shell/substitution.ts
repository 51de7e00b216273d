import type { ParsedScript } from 'unbash';
import { type Expansion, textOf } from './expand.ts';
import { deeper, type Flow, reading } from './flow.ts';
import { withoutErrors } from './parse.ts';
import { count, writeFile } from './scope.ts';

/** How words are expanded at a place of a script: what is substituted runs there. */
export function expansionAt(flow: Flow, choice = { index: 0, count: 1 }): Expansion {
  const output = (script: ParsedScript) => {
    count(flow.scope);
    return flow.walk(withoutErrors(script), deeper(reading(flow, undefined)));
  };
  const at: Expansion = {
    scope: flow.scope,
    ...(flow.positionals === undefined ? {} : { positionals: flow.positionals }),
    choice,
    textOf: (word) => textOf(word, at),
    output,
    file: (script, operator) => {
      const path = `/dev/fd/${flow.scope.files.size + 63}`;
      if (operator === '<') writeFile(flow.scope, path, output(script));
      // What writes to it passes on what it reads, as `tee` does.
      else flow.walk(withoutErrors(script), deeper(flow));
      return path;
    },
  };
  return at;
}
