/** Reading JSON of which nothing is known yet. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none if it is something else. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether a setting was left to the provider. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Whether a setting was left to the provider, or is a list of nothing. */
export function isEmpty(value: unknown): boolean {
  return isUnset(value) || (Array.isArray(value) && value.length === 0);
}

/** Every object inside, itself first; `skip` names keys that are not looked into. */
export function* objectsWithin(value: unknown, skip: readonly string[] = []): Generator<JsonObject> {
  if (Array.isArray(value)) {
    for (const each of value) yield* objectsWithin(each, skip);
  } else if (isObject(value)) {
    yield value;
    for (const [key, inner] of Object.entries(value))
      if (!skip.includes(key)) yield* objectsWithin(inner, skip);
  }
}

/**
 * Whether this can be the name of a model. Agents choose models, and people read their names: nothing else
 * can be written in one.
 */
export function isModelName(value: unknown): value is string {
  return (
    typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}(?:\[[a-z0-9]{1,10}\])?$/.test(value)
  );
}
