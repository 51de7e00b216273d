import {
  type AppliedOverlay,
  applyOverlay,
  type Cover,
  type Covers,
  type Overlay,
  planOverlay,
} from '../../git/overlay.ts';
import { agentPaths, isAtOrBelow } from '../../profiles/index.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { Assignment, AttemptResources } from '../port/assignment.ts';
import type { SandboxContext } from '../port/sandboxed-run.ts';
import { type PlacedSkill, placedIn, placeSkills, readSkills } from '../port/skills.ts';
import { stageInstructions } from '../port/stage-outcome.ts';
import type { Given } from '../prompts/given.ts';

/** What an agent is given besides its task: read first, and put in place right before it starts. */
interface Giving {
  readonly kind: 'giving';
  readonly given: Given;
  readonly skills: readonly PlacedSkill[];
  /** To be called when set-up has run, so that nothing it leaves can take the place of what is given. */
  place(): Promise<AppliedOverlay>;
}

/** Reads it for a worktree that no program has run in. */
export async function readGiving(
  context: SandboxContext,
  { state, default_branch, context: said }: Assignment,
  { mirror }: Pick<AttemptResources, 'mirror'>,
): Promise<Giving | { readonly kind: 'failed'; readonly failure: Failure }> {
  // Instructions as well as settings: nobody but its owners may say what an agent does.
  const branch = `refs/heads/${default_branch}`;
  // One commit for all of it: what is looked at now is what is placed after set-up.
  const source = { mirror, rev: (await mirror.resolve(branch)) ?? branch };
  const covers = instructionFiles({ hidden: hiddenWithout(context.sandbox.kind) });
  const overlay = await planOverlay(mirror, context.workspace, { rev: source.rev, covers });
  const { agent } = state.settings;
  const found = await readSkills(('skills' in agent && agent.skills) || [], source);
  if (found.kind === 'failed') return found;
  const stage = await stageInstructions(state, source);
  if ('failure' in stage) return { kind: 'failed', failure: stage.failure };
  const skills = placedIn(context, found.skills);
  return {
    kind: 'giving',
    given: { instructions: { ...overlay, branch: default_branch }, skills, stage: stage.text, context: said },
    skills,
    place: async () => {
      await placeSkills(found.skills, context, source);
      return showInstructions(context, mirror, overlay);
    },
  };
}

async function showInstructions(
  { workspace, sandbox, ...paths }: SandboxContext,
  mirror: AttemptResources['mirror'],
  overlay: Overlay,
): Promise<AppliedOverlay> {
  const applied = await applyOverlay(mirror, workspace, overlay);
  // What was written is ours, and the programs of the sandbox may be another user.
  if (overlay.given.size > 0) await sandbox.prepare({ workspace, ...paths });
  return applied;
}

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
function hiddenWithout(kind: 'bubblewrap' | 'none'): readonly string[] {
  return kind === 'none' ? workspace : [];
}

function coverAnywhere(path: string): Cover | undefined {
  const parts = path.split('/');
  const index = parts.findIndex((part) => anywhere.includes(part.toLowerCase()));
  return index === -1 ? undefined : { folder: parts.slice(0, index).join('/') };
}
