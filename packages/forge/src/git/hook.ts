/**
 * The forge's update hook. Rules that need only a ref's name and change are checked before Git starts, and
 * FORGE_REFUSED lists their refs; rules that need the pushed objects (still in quarantine) are checked here.
 * A rejected ref does not stop the others, unless the push is atomic: then Git updates none.
 * Each repository has a copy, so the variables and the output must stay readable for older copies.
 */
export const updateHook = `#!/bin/sh
ref=$1 old=$2 new=$3
zero=0000000000000000000000000000000000000000
within() { case " $2 " in *" $1 "*) return 0;; esac; return 1; }
refuse() { echo "forge-refusal $ref $1" >&2; exit 1; }

within "$ref" "$FORGE_REFUSED" && exit 1
[ "$new" = "$zero" ] && exit 0
if [ "$old" != "$zero" ] && within "$ref" "$FORGE_NO_FORCE"; then
  git merge-base --is-ancestor "$old" "$new" || refuse force
fi
if within "$ref" "$FORGE_LINEAR"; then
  [ -z "$(git rev-list --merges --max-count=1 "$new" --not --all)" ] || refuse linear
fi
if [ -n "$FORGE_GUARD_WORKFLOWS" ]; then
  changed=$(git log --format= --name-only --diff-merges=first-parent "$new" --not --all -- \\
    .github/workflows | head -n 1)
  [ -z "$changed" ] || refuse "workflow $changed"
fi
exit 0
`;
