/** What `git diff` and all that show differences take. */
export const DIFF = `-p,-u,--patch -s,--no-patch -U,--unified= --output=write!w --output-indicator-new= --output-indicator-old= --output-indicator-context= --raw --patch-with-raw --indent-heuristic
  --no-indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= --stat? --stat-width= --stat-count= --compact-summary --numstat --shortstat -X? --dirstat? --dirstat-by-file?
  --cumulative --summary --patch-with-stat -z --name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws= --word-diff? --word-diff-regex= --color-words?
  --no-renames --renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev? -B? --break-rewrites? -M? --find-renames? -C? --find-copies?
  --find-copies-harder -D,--irreversible-delete -l= -S= -G= --find-object= --diff-filter= --pickaxe-all --pickaxe-regex -O=read!l --skip-to= --rotate-to= -R --relative? --no-relative -a,--text
  --ignore-cr-at-eol --ignore-space-at-eol -b,--ignore-space-change -w,--ignore-all-space --ignore-blank-lines -I,--ignore-matching-lines= --inter-hunk-context= -W,--function-context --exit-code
  --quiet --ext-diff!r --no-ext-diff --textconv!r --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index
  --ita-visible-in-index --cached --staged --merge-base --no-index!l -1 -2 -3 --base --ours --theirs -0 -c --cc --combined-all-paths --diff-merges= -m -t`;

/** What `git log` and its like take besides. */
export const LOG = `${DIFF} --follow --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --mailmap --no-mailmap --use-mailmap --log-size -L= -n,--max-count=
  --skip= --since= --after= --until= --before= --since-as-filter= --max-age= --min-age= --author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i,--regexp-ignore-case
  --basic-regexp -E,--extended-regexp -F,--fixed-strings -P,--perl-regexp --remove-empty --merges --no-merges --min-parents= --max-parents= --first-parent --exclude-first-parent-only --not --all
  --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only
  --right-only --cherry -g,--walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order
  --author-date-order --topo-order --reverse --no-walk? --do-walk --pretty? --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes
  --show-notes? --standard-notes --show-signature!r --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break? --count --timestamp --objects --no-commit-id
  --root -r -v --always --stdin --show-trees --name-rev`;

/** What commands that connect to another repository take. */
export const CONNECT = `--upload-pack=prog!r --all -a,--append --atomic --depth= --deepen= --shallow-since= --shallow-exclude= --unshallow --update-shallow --negotiation-tip= --negotiate-only --dry-run
  --porcelain --write-fetch-head --no-write-fetch-head -f,--force!w -k,--keep --multiple --auto-maintenance --no-auto-maintenance --auto-gc --no-auto-gc --write-commit-graph --prefetch -p,--prune!d
  -P,--prune-tags!d -n,--no-tags --refetch --refmap=!w -t,--tags --recurse-submodules? --no-recurse-submodules -j,--jobs= --submodule-prefix= --recurse-submodules-default= -u,--update-head-ok!w
  --set-upstream!c -q,--quiet -v,--verbose --progress --no-progress -o,--server-option= --show-forced-updates --no-show-forced-updates -4,--ipv4 -6,--ipv6 --stdin --filter=`;
