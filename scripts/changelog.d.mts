export const ways: readonly { readonly path: string; readonly before: string; readonly after: string }[];
export function notesOf(changelog: string, version: string): string;
export function withVersion(changelog: string, version: string, date: string): string;
export function isReleased(changelog: string): boolean;
