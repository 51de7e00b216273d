import type { Cover, Covers } from '../git/overlay.ts';
import { agentConfiguration } from './sandbox/agent-configuration.ts';

/**
 * Files that agents take for instructions in whatever folder they are, in any case: of Claude Code, Codex,
 * OpenCode, Gemini CLI, Copilot CLI, Qwen Code, Goose, and of Cursor, which also speaks the protocol. And the
 * folder of skills that several of them share.
 */
const anywhere = [
  ...['AGENTS.md', 'AGENTS.override.md', 'CLAUDE.md', 'CLAUDE.local.md', 'GEMINI.md', 'QWEN.md'],
  ...['CONTEXT.md', '.goosehints', '.goosehints.local', '.cursorrules', '.agents'],
].map((name) => name.toLowerCase());

/** Files and folders that they take for instructions only there. */
const atTop = [
  ...['copilot-instructions.md', 'instructions', 'skills', 'prompts'].map((name) => `.github/${name}`),
];

/**
 * Names by which agents find settings and instructions in one place, with the folders above them: a link
 * there would lead to what the branch or set-up has under names that nobody looks at.
 */
const noLinks = new Set(
  [...agentConfiguration, ...atTop].flatMap((name) =>
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
  return kind === 'none' ? agentConfiguration : [];
}

function coverAnywhere(path: string): Cover | undefined {
  const parts = path.split('/');
  const index = parts.findIndex((part) => anywhere.includes(part.toLowerCase()));
  return index === -1 ? undefined : { folder: parts.slice(0, index).join('/') };
}

function isAtOrBelow(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}
