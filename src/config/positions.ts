import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  getScalarValue,
  parseEvents,
} from 'js-yaml';
import { type Path, pathText } from './problem.ts';

/** Returns the line of a path in the file; for a missing key, the line of its nearest existing parent. */
export type LineOf = (path: Path) => number | undefined;

/** Of one of the documents in a text, which must be valid YAML; that was checked before. */
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

type Offsets = Map<string, number>;

interface Walk {
  readonly text: string;
  readonly events: Iterator<Event>;
  readonly offsets: Offsets;
}

function offsetsIn(text: string, index: number): Offsets {
  const offsets: Offsets = new Map();
  const all = parseEvents(text, {});
  const starts = all.flatMap(({ type }, at) => (type === EVENT_DOCUMENT ? [at] : []));
  const start = starts[index];
  if (start === undefined) return offsets;
  const events = all.slice(start + 1).values();
  visit({ text, events, offsets }, [], next(events));
  return offsets;
}

function visit(walk: Walk, path: Path, event: Event): void {
  // The position of a mapping's value is that of its key, which is set already.
  const name = pathText(path);
  if (!walk.offsets.has(name)) walk.offsets.set(name, offsetOf(event));
  if (event.type === EVENT_MAPPING) visitPairs(walk, path);
  if (event.type === EVENT_SEQUENCE) visitItems(walk, path);
}

function visitPairs(walk: Walk, path: Path): void {
  for (let key = next(walk.events); key.type !== EVENT_POP; key = next(walk.events)) {
    const name = key.type === EVENT_SCALAR ? getScalarValue(walk.text, key) : '*';
    const valuePath = [...path, name];
    walk.offsets.set(pathText(valuePath), offsetOf(key));
    visit(walk, valuePath, next(walk.events));
  }
}

function visitItems(walk: Walk, path: Path): void {
  let index = 0;
  for (let item = next(walk.events); item.type !== EVENT_POP; item = next(walk.events)) {
    visit(walk, [...path, index], item);
    index += 1;
  }
}

function next(events: Iterator<Event>): Event {
  const step = events.next();
  if (step.done) throw new Error('could not find the lines of the configuration: its YAML ends unexpectedly');
  return step.value;
}

function offsetOf(event: Event): number {
  switch (event.type) {
    case EVENT_SCALAR:
      return event.valueStart;
    case EVENT_MAPPING:
    case EVENT_SEQUENCE:
      return event.start;
    case EVENT_ALIAS:
      return event.anchorStart;
    case EVENT_DOCUMENT:
    case EVENT_POP:
      return 0;
  }
}
