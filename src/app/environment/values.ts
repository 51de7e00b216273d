import { EnvironmentError } from './environment-error.ts';
import type { Variables } from './variables.ts';

/** Where people find what `coxswain setup` would have written. */
export const appSettingsPage =
  'run `coxswain setup` to register the App, or copy it from the settings page of your App';

/** The problem with a value that is set. */
export function expected(name: string, value: string, what: string): EnvironmentError {
  return new EnvironmentError(`${name} is ${JSON.stringify(value)}: expected ${what}`);
}

/** A variable that is set to something. */
export function textOf(variables: Variables, name: string): string | undefined {
  return variables[name] || undefined;
}

/** The same for one that must be there; `how` says where it comes from. */
export function required(variables: Variables, name: string, how: string): string {
  const value = textOf(variables, name);
  if (value === undefined) throw new EnvironmentError(`${name} is not set: ${how}`);
  return value;
}

/** From 1 to what nine digits can say. */
export function positiveNumber(name: string, value: string, example: number): number {
  if (/^\d{1,9}$/.test(value) && Number(value) > 0) return Number(value);
  throw expected(name, value, `a whole number of at least 1, as in ${name}=${example}`);
}
