import { type AppliedOverlay, applyOverlay, type Overlay, planOverlay } from '../git/overlay.ts';
import type { Failure } from '../steering/attempt-result.ts';
import type { Assignment, AttemptResources } from './assignment.ts';
import { hiddenWithout, instructionFiles } from './instructions.ts';
import type { Given } from './prompts/given.ts';
import type { SandboxContext } from './sandboxed-run.ts';
import { type PlacedSkill, placedIn, placeSkills, readSkills } from './skills.ts';

/** What an agent is given besides its task: read first, and put in place right before it starts. */
export interface Giving {
  readonly kind: 'giving';
  readonly given: Given;
  readonly skills: readonly PlacedSkill[];
  /** To be called when set-up has run, so that nothing it leaves can take the place of what is given. */
  place(): Promise<AppliedOverlay>;
}

type NotGiven = { readonly kind: 'failed'; readonly failure: Failure };

/** Reads it for a worktree that no program has run in. */
export async function readGiving(
  context: SandboxContext,
  { state, default_branch, context: said }: Assignment,
  { mirror }: Pick<AttemptResources, 'mirror'>,
): Promise<Giving | NotGiven> {
  // Instructions as well as settings: nobody but its owners may say what an agent does.
  const branch = `refs/heads/${default_branch}`;
  // One commit for all of it: what is looked at now is what is placed after set-up.
  const source = { mirror, rev: (await mirror.resolve(branch)) ?? branch };
  const covers = instructionFiles({ hidden: hiddenWithout(context.sandbox.kind) });
  const overlay = await planOverlay(mirror, context.workspace, { rev: source.rev, covers });
  const { agent } = state.settings;
  const found = await readSkills(('skills' in agent && agent.skills) || [], source);
  if (found.kind === 'failed') return found;
  const skills = placedIn(context, found.skills);
  return {
    kind: 'giving',
    given: { instructions: { ...overlay, branch: default_branch }, skills, context: said },
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
