import { commandRule } from '../command-rule.ts';

/** Commands after which commits that others have, or that nothing else refers to, are gone. */
export const rewritesHistory = commandRule(
  'rewrites-history',
  `
  git push with -f --force --force-with-lease --mirror --delete -d --prune +* :* unless -n --dry-run
  git reset with --hard
  git filter-branch|filter-repo
  git-filter-repo|bfg
  java *bfg*.jar
  git branch with -D -f --force
  git lfs migrate import|export
  git update-ref with -d
  git reflog expire|delete unless -n --dry-run
  git stash drop|clear
  gh repo delete
`,
);
