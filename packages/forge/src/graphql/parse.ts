/** A value as written in a document: a variable or a literal. */
export type Value =
  | { kind: 'variable'; name: string }
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'list'; items: Value[] }
  | { kind: 'object'; fields: Record<string, Value> };

export type Selection =
  | { kind: 'field'; alias: string; name: string; arguments: Record<string, Value>; selections: Selection[] }
  | { kind: 'fragment'; on: string; selections: Selection[] }
  | { kind: 'spread'; name: string };

export interface Operation {
  kind: 'query' | 'mutation';
  name: string | undefined;
  variables: { name: string; required: boolean; otherwise: Value | undefined }[];
  selections: Selection[];
}

export interface Document {
  operations: Operation[];
  fragments: Record<string, Extract<Selection, { kind: 'fragment' }>>;
}

/** The document cannot be read; the message is in GitHub's form. */
export class ParseError extends Error {
  override name = 'ParseError';
}

/** Reads the part of GraphQL that clients of GitHub write; directives and subscriptions are not among it. */
export function parseDocument(source: string): Document {
  const reader = new Reader(source);
  const document: Document = { operations: [], fragments: {} };
  while (!reader.atEnd) {
    if (reader.accept('fragment')) {
      const name = reader.name();
      document.fragments[name] = fragmentAfterName(reader);
    } else document.operations.push(operationIn(reader));
  }
  return document;
}

function fragmentAfterName(reader: Reader): Extract<Selection, { kind: 'fragment' }> {
  reader.expect('on');
  return { kind: 'fragment', on: reader.name(), selections: selectionsIn(reader) };
}

function operationIn(reader: Reader): Operation {
  if (reader.next === '{') {
    return { kind: 'query', name: undefined, variables: [], selections: selectionsIn(reader) };
  }
  const kind = reader.accept('mutation') ? 'mutation' : 'query';
  if (kind === 'query') reader.expect('query');
  const name = reader.next === '(' || reader.next === '{' ? undefined : reader.name();
  const variables = reader.next === '(' ? variablesIn(reader) : [];
  return { kind, name, variables, selections: selectionsIn(reader) };
}

function variablesIn(reader: Reader): Operation['variables'] {
  const variables: Operation['variables'] = [];
  reader.expect('(');
  while (!reader.accept(')')) {
    reader.expect('$');
    const name = reader.name();
    reader.expect(':');
    const required = skipType(reader);
    const otherwise = reader.accept('=') ? valueIn(reader) : undefined;
    variables.push({ name, required: required && otherwise === undefined, otherwise });
  }
  return variables;
}

/** Types are not checked; whether one is required is. */
function skipType(reader: Reader): boolean {
  if (reader.accept('[')) {
    skipType(reader);
    reader.expect(']');
  } else reader.name();
  return reader.accept('!');
}

function selectionsIn(reader: Reader): Selection[] {
  const selections: Selection[] = [];
  reader.expect('{');
  while (!reader.accept('}')) selections.push(selectionIn(reader));
  return selections;
}

function selectionIn(reader: Reader): Selection {
  if (reader.accept('...')) {
    if (reader.next === 'on') return fragmentAfterName(reader);
    return { kind: 'spread', name: reader.name() };
  }
  const first = reader.name();
  const name = reader.accept(':') ? reader.name() : first;
  const given = reader.next === '(' ? argumentsIn(reader) : {};
  const selections = reader.next === '{' ? selectionsIn(reader) : [];
  return { kind: 'field', alias: first, name, arguments: given, selections };
}

function argumentsIn(reader: Reader): Record<string, Value> {
  reader.expect('(');
  return fieldsUntil(reader, ')');
}

function fieldsUntil(reader: Reader, end: string): Record<string, Value> {
  const fields: Record<string, Value> = {};
  while (!reader.accept(end)) {
    const name = reader.name();
    reader.expect(':');
    fields[name] = valueIn(reader);
  }
  return fields;
}

function valueIn(reader: Reader): Value {
  if (reader.accept('$')) return { kind: 'variable', name: reader.name() };
  if (reader.accept('{')) return { kind: 'object', fields: fieldsUntil(reader, '}') };
  if (reader.accept('[')) {
    const items: Value[] = [];
    while (!reader.accept(']')) items.push(valueIn(reader));
    return { kind: 'list', items };
  }
  return { kind: 'literal', value: literalFrom(reader.take()) };
}

/** Enum values are words; they stay as they are. */
function literalFrom(word: string): string | number | boolean | null {
  if (word.startsWith('"')) return String(JSON.parse(word));
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  return /^-?\d/.test(word) ? Number(word) : word;
}

const tokens = /\.\.\.|[{}()[\]:!$=@|&]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*/y;
const ignored = /(?:[\s,\uFEFF]|#[^\n]*)*/y;

/** Walks over a document word by word. */
class Reader {
  readonly #words: string[];
  #at = 0;

  constructor(source: string) {
    this.#words = wordsIn(source);
  }

  get atEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  get next(): string | undefined {
    return this.#words[this.#at];
  }

  take(): string {
    const word = this.next;
    if (word === undefined) throw new ParseError('Parse error on end of document');
    this.#at += 1;
    return word;
  }

  accept(word: string): boolean {
    if (this.next !== word) return false;
    this.#at += 1;
    return true;
  }

  expect(word: string): void {
    if (!this.accept(word))
      throw new ParseError(`Parse error on ${JSON.stringify(this.next ?? '')}, expected ${word}`);
  }

  name(): string {
    const word = this.take();
    if (/^[A-Za-z_]/.test(word)) return word;
    throw new ParseError(`Parse error on ${JSON.stringify(word)}, expected a name`);
  }
}

function wordsIn(source: string): string[] {
  const words: string[] = [];
  for (let at = 0; ; ) {
    ignored.lastIndex = at;
    ignored.exec(source);
    at = ignored.lastIndex;
    if (at >= source.length) return words;
    tokens.lastIndex = at;
    const word = tokens.exec(source)?.[0];
    if (word === undefined) throw new ParseError(`Parse error on ${JSON.stringify(source.charAt(at))}`);
    words.push(word);
    at = tokens.lastIndex;
  }
}
