import { type OptionGroup, kind, options } from "./option-groups.ts";
/** Options of all commands that show differences. */
export const DIFF: readonly OptionGroup[] = options`-p,-u,--patch -s,--no-patch --raw --patch-with-raw --indent-heuristic
  --no-indent-heuristic --minimal --patience --histogram --compact-summary --numstat --cumulative --patch-with-stat -z --name-only
  --name-status --no-color --no-color-moved --no-renames --renames --rename-empty --no-rename-empty --check --full-index --binary
  -D,--irreversible-delete --pickaxe-all --pickaxe-regex -R --no-relative -a,--text --ignore-cr-at-eol --ignore-space-at-eol
  -b,--ignore-space-change -w,--ignore-all-space --ignore-blank-lines -W,--function-context --exit-code --quiet --no-ext-diff
  --no-textconv --no-prefix --ita-invisible-in-index --ita-visible-in-index --cached --merge-base -1 -2 -3 --base --ours --theirs -0 -c
  --cc --combined-all-paths -m -t ${kind.value} -U,--unified --output-indicator-new --output-indicator-old --output-indicator-context
  --anchored --diff-algorithm -l -S -G --diff-filter --rotate-to -I,--ignore-matching-lines --inter-hunk-context --dst-prefix
  --line-prefix --diff-merges ${kind.write} --output ${kind.optional} --stat -X --dirstat --dirstat-by-file --color --color-moved
  --word-diff --color-words --abbrev -B --break-rewrites -M --find-renames -C --find-copies --relative --ignore-submodules ${kind.value}
  --stat-width --stat-count --color-moved-ws --word-diff-regex --ws-error-highlight --find-object --skip-to --src-prefix ${kind.flag}
  --shortstat --summary --find-copies-harder --default-prefix --staged ${kind.optional} --submodule ${kind.takes("read", "load")} -O
  ${kind.flagThat("run")} --ext-diff --textconv ${kind.flagThat("load")} --no-index`;

/** Further options of `git log` and similar commands. */
export const LOG: readonly OptionGroup[] = options`${DIFF} --follow --no-decorate --clear-decorations --source --mailmap --no-mailmap
  --use-mailmap --log-size --invert-grep -i,--regexp-ignore-case -E,--extended-regexp -F,--fixed-strings -P,--perl-regexp --remove-empty
  --merges --no-merges --first-parent --exclude-first-parent-only --not --reflog --ignore-missing --stdin --cherry-mark --cherry-pick
  --left-only --right-only --cherry -g,--walk-reflogs --merge --show-pulls --full-history --sparse --reverse --no-abbrev-commit --oneline
  --no-expand-tabs --no-notes --standard-notes --relative-date --parents --children --left-right --no-graph --objects --no-commit-id
  --root -r -v --stdin --show-trees --name-rev ${kind.optional} --decorate --tags --remotes --no-walk --pretty --expand-tabs --notes
  --show-notes --show-linear-break ${kind.value} --decorate-refs --decorate-refs-exclude -L -n,--max-count --skip --since --after --until
  --before --since-as-filter --max-age --min-age --author --committer --grep-reflog --grep --min-parents --max-parents --glob --exclude
  --exclude-hidden --format --encoding ${kind.flag} --all-match --basic-regexp --all --alternate-refs --single-worktree --bisect
  --boundary --simplify-by-decoration --dense --simplify-merges --date-order --author-date-order --topo-order --do-walk --abbrev-commit
  --graph --count --timestamp --always ${kind.optional} --branches --ancestry-path ${kind.flagThat("run")} --show-signature ${kind.value}
  --date`;

/** Options of commands that connect to a repository. */
export const CONNECT: readonly OptionGroup[] = options`--all -a,--append --atomic --unshallow --update-shallow --porcelain
  --write-fetch-head -k,--keep --multiple --auto-maintenance --auto-gc --write-commit-graph --prefetch --refetch -t,--tags -q,--quiet
  -v,--verbose --progress -4,--ipv4 -6,--ipv6 ${kind.script} --upload-pack ${kind.value} --depth --deepen --shallow-since
  --shallow-exclude --negotiation-tip -j,--jobs --submodule-prefix -o,--server-option --filter ${kind.flag} --negotiate-only --dry-run
  --no-write-fetch-head --no-auto-maintenance --no-auto-gc -n,--no-tags --no-recurse-submodules --no-progress --show-forced-updates
  --no-show-forced-updates ${kind.flagThat("write")} -f,--force --stdin -u,--update-head-ok ${kind.flagThat("delete")} -p,--prune -P,--prune-tags
  ${kind.valueThat("write")} --refmap ${kind.optional} --recurse-submodules ${kind.value} --recurse-submodules-default
  ${kind.flagThat("configure")} --set-upstream`;
