/**
 * The forge's own update hook. What a ref's name and movement tell was decided before Git started
 * and comes in FORGE_REFUSED; what needs the pushed objects (still in quarantine) is looked at here.
 * One refused ref does not stop the others, unless the push is atomic: then Git takes none.
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
