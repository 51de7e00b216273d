import { problemText } from '../../config/problem.ts';
import type { Configured } from '../../config/read.ts';
import { codeOwnersPaths, readCodeOwners } from '../../gates/index.ts';
import { teamProblems } from '../../runs/readable-teams.ts';
import type { Repository } from '../../runs/repository.ts';
import { asksOwners } from '../../steering/approval/approval-needs.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import type { Snapshot } from './snapshot.ts';

/** Whether the teams that may approve can be read, and what of CODEOWNERS counts. */
export async function examineApprovers(
  repository: Repository,
  { settings: { approval }, bases }: Configured,
  snapshot: Pick<Snapshot, 'file'>,
): Promise<readonly Finding[]> {
  const all = [approval, ...bases.map((entry) => ({ ...approval, ...entry.approval }))];
  const found = await Promise.all(all.map((each) => teamProblems(repository, each, { presenter: 'app' })));
  const texts = [...new Set(found.flat().map(problemText))];
  const names = all.some(({ by, protected_paths: paths = [] }) =>
    [...by, ...paths.flatMap((entry) => entry.by)].some((approver) => 'team' in approver),
  );
  const remedy = 'Correct it: until then no run starts or goes on';
  return [
    ...texts.map((text) => problem('approvers', text, remedy)),
    ...(names && texts.length === 0 ? [ok('approvers', 'the teams that may approve can be read')] : []),
    ...(all.some(({ by }) => asksOwners(by)) ? await codeOwners(snapshot) : []),
  ];
}

async function codeOwners(snapshot: Pick<Snapshot, 'file'>): Promise<readonly Finding[]> {
  for (const path of codeOwnersPaths) {
    const text = await snapshot.file(path);
    if (text === undefined) continue;
    const { problems } = readCodeOwners(text);
    if (problems.length === 0) return [ok('code owners', `every line of ${path} counts`)];
    return problems.map((each) => note('code owners', each, `Correct it in ${path}`));
  }
  const text = 'approval.by names codeowners, but there is no file CODEOWNERS, so no file has owners';
  return [note('code owners', text, 'Add .github/CODEOWNERS, or remove codeowners from approval.by')];
}
