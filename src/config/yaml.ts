import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  getScalarValue,
  load,
  loadAll,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { type Path, type Problem, pathText } from './schema/config-problem.ts';

type Parsed =
  | { readonly outcome: 'parsed'; readonly document: unknown }
  | { readonly outcome: 'unreadable'; readonly problem: Problem };

/** What a text is to hold, and what it is called if it does not. */
type Wanted = Pick<Problem, 'example' | 'expected' | 'received'>;

/** Far more than any configuration needs; a larger file is a mistake or an attack. */
const maxBytes = 64 * 1024;
/** Aliases multiply: a small file could need a lot of memory. */
const maxAliases = 20;
const maxDepth = 20;

/** Parses YAML 1.2. A syntax error is a problem with line and column, never an exception. */
export function parseYaml(text: string, example: string): Parsed {
  return parsedBy(load, text, { example, expected: 'a configuration', received: 'a file without one' });
}

/** Parses several documents between `---`: `document` is a list of them. */
export function parseYamlDocuments(text: string, wanted: Wanted): Parsed {
  return parsedBy(loadAll, text, wanted);
}

function parsedBy(parse: typeof load | typeof loadAll, text: string, wanted: Wanted): Parsed {
  if (Buffer.byteLength(text) > maxBytes) return tooLong(text);
  if (/[\0\uFFFD]/.test(text)) return notUtf8(text);
  if (isEmpty(text)) return { outcome: 'unreadable', problem: { path: '', ...wanted } };
  try {
    // js-yaml counts the byte order mark as a character, which would shift the first column by one.
    const source = text.replace(/^\uFEFF/, '');
    const document = parse(source, { maxAliases, maxDepth });
    return holdsItself(document) ? endless() : { outcome: 'parsed', document };
  } catch (cause) {
    if (cause instanceof YAMLException) return unreadable(cause);
    throw new Error('could not read a text as YAML', { cause });
  }
}

/** Whether an alias stands within what it is for; what has been looked at is not looked at again. */
function holdsItself(value: unknown, around: readonly unknown[] = [], seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (around.includes(value)) return true;
  if (seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).some((each) => holdsItself(each, [...around, value], seen));
}

function endless(): Parsed {
  const expected = 'values that do not contain themselves';
  const received = 'an alias within what it is for, such as `- *a` below `&a`';
  return { outcome: 'unreadable', problem: { path: '', expected, received, example: '' } };
}

function tooLong(text: string): Parsed {
  const received = `${Buffer.byteLength(text)} bytes`;
  const expected = `at most ${maxBytes} bytes`;
  return { outcome: 'unreadable', problem: { path: '', expected, received, example: '' } };
}

/** Whoever read the file has put U+FFFD in the place of bytes that are no UTF-8. */
function notUtf8(text: string): Parsed {
  const line = text.slice(0, text.search(/[\0\uFFFD]/)).split('\n').length;
  const received = text.includes('\0') ? 'null bytes, as in UTF-16' : 'bytes that are not UTF-8';
  return {
    outcome: 'unreadable',
    problem: { path: '', expected: 'text in UTF-8', received, example: '', line },
  };
}

function isEmpty(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
}

function unreadable({ reason, mark }: YAMLException): Parsed {
  const position = mark === undefined ? {} : { line: mark.line + 1, column: mark.column + 1 };
  const line = mark?.buffer.split('\n')[mark.line]?.trimEnd() ?? '';
  const mistake = mistakeIn(line, mark?.buffer[mark.position] ?? '', reason);
  const {
    advice,
    example = '',
    expected = advice === undefined ? 'valid YAML' : `valid YAML (${advice})`,
  } = mistake;
  const { received = reason } = mistake;
  return { outcome: 'unreadable', problem: { path: '', expected, received, example, ...position } };
}

/**
 * Texts that look right but are not, because some characters mean something to YAML, with what is meant. It
 * is said instead of what the parser says.
 */
function mistakeIn(
  line: string,
  character: string,
  reason: string,
): Partial<Wanted> & { readonly advice?: string } {
  if (character === '\t' || (line.includes('\t') && reason.includes('indentation')))
    return {
      expected: 'spaces for indentation',
      received: 'a tab',
      example: line.replaceAll('\t', '  '),
    };
  if (reason.includes('maxAliases'))
    return { expected: `at most ${maxAliases} aliases such as *a`, received: 'more aliases' };
  if (character === '@') return { advice: "a name with @ needs quotes: '@ada'" };
  if (character === '#') return { advice: "a number with # needs quotes: '#12'" };
  if (/^ *-[^ -]/.test(line))
    return { advice: 'a space follows the hyphen of an item', example: line.replace('-', '- ') };
  const [, before = '', text = '', first] = /^((?:[ -]*[ ])?(?:[\w-]+: +)?)(([`*!%|>])?.*)$/.exec(line) ?? [];
  const example = `${before}'${text.replaceAll("'", "''")}'`;
  if (first === '`') return { advice: 'a text that begins with a backtick needs quotes', example };
  if (first !== undefined) return { advice: `a text that begins with ${first} needs quotes`, example };
  return before !== '' && text.includes(': ')
    ? { advice: 'a text with a colon and a space in it needs quotes', example }
    : {};
}

/** Returns the line of a path in the file; for a missing key, the line of its nearest existing parent. */
export type LineOf = (path: Path) => number | undefined;

/** Finds the lines of one of the documents in a text, which must be valid YAML; that was checked before. */
export function linesIn(text: string, index = 0): LineOf {
  const offsets = offsetsIn(text, index);
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(pathText(path.slice(0, length)));
      if (offset !== undefined) return text.slice(0, offset).split('\n').length;
    }
    return undefined;
  };
}

/** Finds where each value and each key of a document begins, by its path. */
function offsetsIn(text: string, index: number): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const all = parseEvents(text, {});
  const starts = all.flatMap(({ type }, at) => (type === EVENT_DOCUMENT ? [at] : []));
  const start = starts[index];
  const events = all.slice(start === undefined ? all.length : start + 1).values();
  const visit = (path: Path, event: Event): void => {
    // The position of a mapping's value is that of its key, which is set already.
    const name = pathText(path);
    if (!offsets.has(name)) offsets.set(name, offsetOf(event));
    const isMapping = event.type === EVENT_MAPPING;
    if (!isMapping && event.type !== EVENT_SEQUENCE) return;
    let item = next(events);
    for (let at = 0; item.type !== EVENT_POP; at += 1) {
      const step = isMapping ? keyOf(text, item) : at;
      if (isMapping) offsets.set(pathText([...path, step]), offsetOf(item));
      visit([...path, step], isMapping ? next(events) : item);
      item = next(events);
    }
  };
  if (start !== undefined) visit([], next(events));
  return offsets;
}

function keyOf(text: string, event: Event): string {
  return event.type === EVENT_SCALAR ? getScalarValue(text, event) : '*';
}

function next(events: Iterator<Event>): Event {
  const step = events.next();
  if (step.done) throw new Error('could not find the lines of the configuration: its YAML ends unexpectedly');
  return step.value;
}

function offsetOf(event: Event): number {
  if ('valueStart' in event) return event.valueStart;
  if (event.type === EVENT_ALIAS) return event.anchorStart;
  return 'start' in event ? event.start : 0;
}
