import { vi } from 'vitest';

/** What a command writes to stdout and stderr, until `vi.restoreAllMocks`. */
export function heard(): { out: string; err: string } {
  const said = { out: '', err: '' };
  const hear = (into: keyof typeof said) => (text: string | Uint8Array) => {
    said[into] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(hear('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(hear('err'));
  return said;
}
