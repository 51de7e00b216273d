export function makeFiles(root: string, version: string, repository?: string): string;
