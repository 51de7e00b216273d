/**
 * Brings a state of an older version up to date; any other value is returned as it is. Version 1 recorded
 * people by their login only: an id of 0 says that it is not known.
 */
export function migrated(state: Record<string, unknown>): Record<string, unknown> {
  if (state['version'] !== 1) return state;
  return { ...withPeopleIds(state), version: 2 };
}

/** A person is an object with a login and a role, wherever it is. */
function withPeopleIds<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withPeopleIds) as T; // the same type, element by element
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withPeopleIds(each)] as const);
  const isPerson = 'login' in value && 'role' in value && !('id' in value);
  return Object.fromEntries(isPerson ? [...entries, ['id', 0]] : entries) as T; // as above
}
