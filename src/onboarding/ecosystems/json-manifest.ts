/** A manifest in JSON, such as `package.json`; undefined if it is none. */
export function recordFrom(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return recordIn(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

/** Undefined if the value is not an object with keys. */
export function recordIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? { ...value } : undefined;
}
