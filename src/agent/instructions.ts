import type { Cover, Covers } from '../git/overlay.ts';
import { agentPaths, isAtOrBelow } from '../profiles/index.ts';

const { workspace, instructions } = agentPaths;

/** In whatever folder they are, in any case. */
const anywhere = instructions.filter((name) => !name.includes('/')).map((name) => name.toLowerCase());

/** Files and folders that agents take for instructions only there. */
const atTop = instructions.filter((name) => name.includes('/'));

/**
 * Names by which agents find settings and instructions in one place, with the folders above them: a link
 * there would lead to what the branch or set-up has under names that nobody looks at.
 */
const noLinks = new Set(
  [...workspace, ...atTop].flatMap((name) =>
    name.split('/').map((_, index, parts) =>
      parts
        .slice(0, index + 1)
        .join('/')
        .toLowerCase(),
    ),
  ),
);

/**
 * Which files an agent sees as the default branch has them: anybody who can push to a branch could otherwise
 * tell agents what to do. `hidden` are files and folders at the top that it does not see at all.
 */
export function instructionFiles({ hidden }: { readonly hidden: readonly string[] }): Covers {
  return (path) => {
    if (hidden.some((name) => isAtOrBelow(path, name))) return { folder: '', hidden: 'all' };
    if (atTop.some((name) => isAtOrBelow(path.toLowerCase(), name))) return { folder: '' };
    if (noLinks.has(path.toLowerCase())) return { folder: '', hidden: 'link' };
    return coverAnywhere(path);
  };
}

/** What only the sandbox can hide from an agent; without one it is gone until the work is committed. */
export function hiddenWithout(kind: 'bubblewrap' | 'none'): readonly string[] {
  return kind === 'none' ? workspace : [];
}

function coverAnywhere(path: string): Cover | undefined {
  const parts = path.split('/');
  const index = parts.findIndex((part) => anywhere.includes(part.toLowerCase()));
  return index === -1 ? undefined : { folder: parts.slice(0, index).join('/') };
}
