import { at, type Path } from '../../profiles/profile.ts';
import { beginningOf } from '../../text/characters.ts';

export { at };

/**
 * A text in what an agent sends, where any value may have any type and none of them may stop us. Undefined
 * also for an empty one.
 */
export function textAt(value: unknown, ...path: Path): string | undefined {
  const found = at(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function numberAt(value: unknown, ...path: Path): number | undefined {
  const found = at(value, path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** At most 1,000 of what is in a list; empty if it is none. */
export function listAt(value: unknown, ...path: Path): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found.slice(0, 1_000) : [];
}

/** The beginning of a text that is too long to be kept. */
export function cutTo(text: string, max: number): string {
  return text.length <= max ? text : copyOf(beginningOf(text, max));
}

/** A part of a text keeps all of it in memory; a copy does not. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
