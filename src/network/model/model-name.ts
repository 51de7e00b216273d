/**
 * Whether this can be the name of a model. Agents choose models, and people read their names: nothing else
 * can be written in one.
 */
export function isModelName(value: unknown): value is string {
  return (
    typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}(?:\[[a-z0-9]{1,10}\])?$/.test(value)
  );
}
