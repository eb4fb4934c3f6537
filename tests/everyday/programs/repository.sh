# git: a repository of one's own, branches, a merge, a clone, hooks.
# run: bash repository.sh
# needs: git
set -e
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
mkdir -p repository && cd repository
git init -q -b main .
printf '#!/bin/sh\necho hook > hook.txt\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
echo one > file && git add file && git commit -q -m one
git switch -q -c side && echo two >> file && git commit -q -a -m two
git switch -q main && echo other > other && git add other && git commit -q -m other
git merge -q --no-edit side
git clone -q . ../copy
[ "$(git -C ../copy log --oneline | wc -l)" = 4 ] && [ -f hook.txt ] && git fsck --no-progress
echo ok
