/**
 * Evaluates `if` in workflows: only the part of GitHub's expressions that our example uses.
 */

type Value = unknown;

const tokens =
  /\s*(?:'((?:[^']|'')*)'|(\|\||&&|==|!=|[!(),])|(github(?:\.(?:[\w-]+|\*))+)|(null\b|\w+(?=\()))/gy;

/** The value of an expression, a text in small letters. Throws for unknown syntax. */
export function expression(text: string, github: unknown): Value {
  const source = [...read(text)].join(' ');
  const evaluate = new Function('get', 'contains', 'startsWith', 'fromJSON', `return (${source});`);
  const get = (path: string) => comparable(at(github, path.split('.').slice(1)));
  return evaluate(get, contains, startsWith, JSON.parse);
}

/** The same in JavaScript, token by token. */
function* read(text: string): Generator<string> {
  tokens.lastIndex = 0;
  const source = text.trim();
  while (tokens.lastIndex < source.length) {
    const from = tokens.lastIndex;
    const [, literal, operator, path, called] = tokens.exec(source) ?? [];
    if (literal !== undefined) yield JSON.stringify(comparable(literal.replaceAll("''", "'")));
    else if (operator !== undefined) yield operator;
    else if (path !== undefined) yield `get(${JSON.stringify(path)})`;
    else if (called !== undefined) yield called;
    else throw new Error(`cannot read the expression from ${JSON.stringify(source.slice(from, from + 40))}`);
  }
}

/** A missing value is null; `*` applies the rest to every element. */
function at(value: Value, [key, ...rest]: readonly string[]): Value {
  if (key === undefined) return value;
  if (key === '*') return Array.isArray(value) ? value.map((each) => at(each, rest)) : [];
  if (typeof value !== 'object' || value === null || !(key in value)) return null;
  return at(Reflect.get(value, key), rest);
}

function contains(where: Value, what: Value): boolean {
  if (Array.isArray(where)) return where.some((each) => small(each) === small(what));
  return small(where).includes(small(what));
}

function startsWith(text: Value, beginning: Value): boolean {
  return small(text).startsWith(small(beginning));
}

/** GitHub ignores the case of texts in comparisons. */
function comparable(value: Value): Value {
  return typeof value === 'string' ? small(value) : value;
}

function small(value: Value): string {
  return String(value ?? '').toLowerCase();
}
