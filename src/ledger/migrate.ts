/**
 * Brings a state of an older version up to date; any other value is returned as it is. Version 1 recorded
 * people by their login only: an id of 0 says that it is not known. It kept only those who had pushed. Its
 * only check was `Coxswain`, and of the settings that it did not have, the defaults hold until the
 * configuration is read again.
 */
export function migrated(state: Record<string, unknown>): Record<string, unknown> {
  if (state['version'] === 2) return withNetwork(state);
  if (state['version'] !== 1) return state;
  const { settings, pushers, ...rest } = withPeopleIds(state);
  const known = isObject(settings) ? { settings: withNewSettings(settings) } : {};
  return { ...rest, ...known, ...contributorsFrom(pushers), version: 2 };
}

function contributorsFrom(pushers: unknown): Record<string, unknown> {
  const logins = Array.isArray(pushers) ? pushers.filter((login) => typeof login === 'string') : [];
  return logins.length === 0 ? {} : { contributors: logins.map((login) => ({ login, id: 0 })) };
}

function withNewSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const approval = isObject(settings['approval']) ? settings['approval'] : {};
  return { check: 'Coxswain', ci: 'at_once', network, ...settings, approval: { apps: [], ...approval } };
}

/** The first states of version 2 had no network. */
function withNetwork(state: Record<string, unknown>): Record<string, unknown> {
  const { settings } = state;
  if (!isObject(settings) || 'network' in settings) return state;
  return { ...state, settings: { network, ...settings } };
}

const network = { setup: ['registries'], agent: ['model'], verifiers: [] };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A person is an object with a login and a role, wherever it is. */
function withPeopleIds<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withPeopleIds) as T; // the same type, element by element
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withPeopleIds(each)] as const);
  const isPerson = 'login' in value && 'role' in value && !('id' in value);
  return Object.fromEntries(isPerson ? [...entries, ['id', 0]] : entries) as T; // as above
}
