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
import { type Path, pathText } from './schema/problem.ts';

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

/** Where each value and each key of a document begins, by its path. */
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
