/** Code lines and tokens: what a folder has, or may have at most. */
interface Size {
  readonly lines: number;
  readonly tokens: number;
}

export const folders: readonly string[];
export const ceilings: Readonly<Record<string, Size>> & {
  readonly bundle: { readonly idle: number; readonly reading: number; readonly all: number };
};
export function sunk(size: Size, ceiling: Size): Size;
export function sizeOf(folder: string): Size & { readonly files: number };
export function sizeOfCode(text: string): Size;
