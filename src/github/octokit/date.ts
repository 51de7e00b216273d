/** The time in a `Date` header, ISO 8601; undefined if it is missing, as behind some proxies, or unreadable. */
export function timeIn(header: string | undefined): string | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
