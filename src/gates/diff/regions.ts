import { newSide, type Patch } from '../reading/patch.ts';

/**
 * The section that each line of a file is in, as far as its hunks show: the key of the object around it in
 * JSON, the heading `[…]` in TOML and INI, the target in a Makefile. By the line's number in the new version.
 */
export function regionsOf(patch: Patch): ReadonlyMap<number, string> {
  const regions = new Map<number, string>();
  for (const hunk of patch.hunks) {
    let region = headingIn(hunk.heading);
    for (const { number, text } of newSide(hunk)) {
      const line = text.slice(0, maxLine);
      const own = headingIn(line);
      if (own !== undefined) region = own;
      else if (/^\s*[}\]],?\s*$/.test(line)) region = undefined;
      if (region !== undefined) regions.set(number, region);
    }
  }
  return regions;
}

const maxLine = 500;

const headings = [
  /^\s*"([^"]{1,100})"\s*:\s*[{[]\s*$/,
  /^\s*\[{1,2}\s*([^\]=]{1,200}?)\s*\]{1,2}\s*(?:#.*)?$/,
  /^([\w./%-]{1,100}(?:\s+[\w./%-]{1,100}){0,10})\s*::?(?!=)(?:\s|$)/,
];

function headingIn(text: string): string | undefined {
  return headings.map((heading) => heading.exec(text)?.[1]).find((name) => name !== undefined);
}
