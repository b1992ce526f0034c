import { runArgv } from "./apply.ts";
import { toTarget } from "./files.ts";
import {
  applyMails,
  applyPatch,
  checkout,
  clean,
  clone,
  config,
  connect,
  fetch,
  foreach,
  formatPatch,
  formats,
  push,
  remove,
  restore,
  shows,
} from "./git-handlers.ts";
import { CONNECT, DIFF, LOG } from "./git-options.ts";
import { GIT_OTHER } from "./git-other.ts";
import { hazard } from "./out.ts";
import type { Spec } from "./spec.ts";

const PATHS = "read*";
const SHOW: Spec = { options: LOG, more: shows };
const TREE: Spec = { operands: PATHS, below: "always" };
const LISTING = "list contains no-contains merged no-merged points-at show-current verify n";

/** Subcommands of git. */
export const GIT_SUBS: Readonly<Record<string, Spec>> = {
  ...GIT_OTHER,
  status: {
    options:
      "-s,--short -b,--branch --show-stash --porcelain? --long -v,--verbose -u? --untracked-files? --ignore-submodules? --ignored? -z --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
    operands: PATHS,
  },
  log: SHOW,
  show: SHOW,
  whatchanged: SHOW,
  reflog: {
    options: LOG,
    more: (use, out) => {
      formats(use, out);
      const [first] = use.operands;
      if (/^(expire|delete|drop|write)$/.test(first?.word.text ?? "") && first !== undefined) hazard(out, first.at, "delete");
    },
  },
  shortlog: { options: `${LOG} -s,--summary -e,--email -w? --group=`, more: formats },
  "rev-list": { options: LOG, more: formats },
  diff: { options: DIFF, more: shows },
  "diff-tree": { options: LOG, more: shows },
  "diff-index": { options: DIFF, more: shows },
  "diff-files": { options: DIFF, more: shows },
  "range-diff": { options: LOG },
  difftool: { options: `${DIFF} -x,--extcmd=prog!r -t,--tool= -y,--no-prompt --prompt -d,--dir-diff -g,--gui --tool-help`, does: "run" },
  mergetool: { options: "-t,--tool= -y,--no-prompt -g,--gui -O=read --tool-help", does: "run" },
  grep: {
    options: `-e= -f=read!l -O?prog!r --open-files-in-pager?prog!r --cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules --parent-basename= -a,--text --textconv!r
      --no-textconv -i,--ignore-case -I --max-depth= -r,--recursive --no-recursive -w,--word-regexp -v,--invert-match -h -H --full-name -E,--extended-regexp -G,--basic-regexp -P,--perl-regexp
      -F,--fixed-strings -n,--line-number --column -l,--files-with-matches,--name-only -L,--files-without-match -z,--null -o,--only-matching -c,--count --color? --no-color --break --heading
      -p,--show-function -A,--after-context= -B,--before-context= -C,--context= -m,--max-count= -W,--function-context --threads= --and --or --not --all-match -q,--quiet --ext-grep`,
    operands: "data read*",
    noFirst: "e f",
    below: "always",
    alone: "read",
  },
  blame: {
    options: `-b --root --show-stats -L= -l -t -S=read!l --reverse --first-parent -p,--porcelain --line-porcelain --incremental --encoding= --contents=read!l --date= -M? -C? --ignore-rev= --ignore-revs-file=read!l
      --color-lines --color-by-age -c --score-debug -f,--show-name -n,--show-number -s -e,--show-email -w --abbrev= --progress --no-progress --textconv!r`,
    operands: PATHS,
  },
  annotate: { options: "-L= -S=read!l --contents=read!l", operands: PATHS },
  branch: {
    options: `-l,--list -a,--all -r,--remotes -v,-vv,--verbose --contains? --no-contains? --merged? --no-merged? --points-at= --format= --sort= --show-current --color? --no-color --column? --no-column
      --abbrev= --no-abbrev -i,--ignore-case --omit-empty -q,--quiet -d,-D,--delete!d -m,-M,--move!w -c,-C,--copy!w -u,--set-upstream-to=!c --unset-upstream!c -t --track? --no-track --edit-description!r
      -f,--force!w --create-reflog --recurse-submodules`,
    operands: "data!w*",
    quiet: LISTING,
    more: formats,
  },
  tag: {
    options: `-l,--list -n? --contains? --no-contains? --merged? --no-merged? --points-at= --format= --sort= --color? --column? --no-column -i --omit-empty -v,--verify -d,--delete!d -a,--annotate -s,--sign
      --no-sign -u,--local-user= -m,--message= -F,--file=read --trailer= -e,--edit!r -f,--force!w --cleanup= --create-reflog`,
    operands: "data!w*",
    quiet: LISTING,
    more: formats,
  },
  add: {
    options: `-n,--dry-run -v,--verbose -f,--force -i,--interactive -p,--patch -e,--edit!r -u,--update -A,--all --no-all --ignore-removal -N,--intent-to-add --refresh --ignore-errors --ignore-missing
      --renormalize --chmod= --pathspec-from-file=read!l --pathspec-file-nul --sparse`,
    operands: PATHS,
    below: "always",
  },
  stage: { operands: PATHS, below: "always" },
  commit: {
    options: `-a,--all -p,--patch -C,--reuse-message= -c,--reedit-message= --fixup= --squash= --reset-author --short --branch --porcelain --long -z,--null -F,--file=read --author= --date= -m,--message=
      -t,--template=read -s,--signoff --no-signoff --trailer= -n,--no-verify --allow-empty --allow-empty-message --cleanup= -e,--edit --no-edit --amend --no-post-rewrite -i,--include -o,--only
      --pathspec-from-file=read!l --pathspec-file-nul -u? --untracked-files? -v,--verbose -q,--quiet --dry-run --status --no-status -S? --gpg-sign? --no-gpg-sign`,
    operands: PATHS,
  },
  rm: {
    options: "-f,--force -n,--dry-run -r --cached --ignore-unmatch --sparse -q,--quiet --pathspec-from-file=read!l --pathspec-file-nul",
    more: remove,
  },
  mv: { options: "-v -f -n -k", more: toTarget("move") },
  clean: { options: "-d -f,--force -i,--interactive -n,--dry-run -q,--quiet -e,--exclude= -x -X", more: clean },
  checkout: {
    options: `-q,--quiet --progress -f,--force!d --ours --theirs -b= -B=!w -t --track? --no-track --guess --no-guess -l -d,--detach --orphan= --ignore-skip-worktree-bits -m,--merge --conflict= -p,--patch
      --ignore-other-worktrees --overwrite-ignore --recurse-submodules? --overlay --no-overlay --pathspec-from-file=read!l --pathspec-file-nul`,
    more: checkout,
  },
  switch: {
    options:
      "-c,--create= -C,--force-create=!w -d,--detach --guess -f,--force!d --discard-changes!d -m,--merge --conflict= -q --progress -t --track? --orphan= --ignore-other-worktrees --recurse-submodules?",
  },
  restore: {
    options:
      "-s,--source= -p,--patch -W,--worktree -S,--staged -q --ours --theirs -m,--merge --conflict= --ignore-unmerged --overlay --pathspec-from-file=read!l",
    more: restore,
  },
  reset: {
    options:
      "--mixed -N --soft --hard!d --merge!d --keep -q,--quiet -p,--patch --pathspec-from-file=read!l --recurse-submodules? --refresh",
  },
  merge: {
    options:
      "--commit --no-commit -e,--edit --no-edit --cleanup= --ff --no-ff --ff-only -S? --log? --signoff --stat -n --squash --no-squash --verify --no-verify -s,--strategy= -X,--strategy-option= --allow-unrelated-histories -m= -F,--file=read --into-name= --abort --quit --continue --autostash --rerere-autoupdate -q -v",
  },
  rebase: {
    options: `--onto= --keep-base --continue --skip --abort --quit --edit-todo!r --show-current-patch --apply --empty= --no-keep-empty --keep-empty --reapply-cherry-picks --allow-empty-message -m,--merge
      -s,--strategy= -X,--strategy-option= -S? --rerere-autoupdate -q -v --stat -n --no-verify --verify -C= --no-ff --force-rebase -f --fork-point --ignore-whitespace --whitespace= --committer-date-is-author-date
      --reset-author-date --signoff -i,--interactive!r -r? --rebase-merges? -x,--exec=script!r --root --autosquash --no-autosquash --autostash --no-autostash --reschedule-failed-exec --update-refs`,
  },
  "cherry-pick": {
    options:
      "-e,--edit --cleanup= -x -r -m,--mainline= -n,--no-commit -s -S? --ff --allow-empty -X= --strategy= --continue --skip --abort --quit",
  },
  revert: { options: "-e,--edit --no-edit -m,--mainline= --cleanup= -n -S? -s -X= --strategy= --continue --skip --abort --quit" },
  stash: {
    options:
      "-p,--patch -k,--keep-index --no-keep-index -u,--include-untracked -a,--all -q,--quiet -m,--message= -S,--staged --pathspec-from-file=read!l",
    subs: {
      push: {
        options: "-p -k,--keep-index --no-keep-index -u -a -q -m,--message= -S,--staged --pathspec-from-file=read!l",
        operands: PATHS,
      },
      save: {},
      list: SHOW,
      show: { options: LOG, more: formats },
      pop: {},
      apply: {},
      branch: {},
      create: {},
      store: {},
      drop: { does: "delete" },
      clear: { does: "delete" },
    },
  },
  fetch: { options: CONNECT, more: fetch },
  pull: {
    options: `${CONNECT} -r? --rebase? --no-rebase --ff --no-ff --ff-only -s,--strategy= -X,--strategy-option= -e,--edit --no-edit --commit --no-commit --squash --stat --log? --signoff -S? --autostash --no-autostash --allow-unrelated-histories --no-verify`,
    more: fetch,
  },
  push: {
    options: `--all,--branches --prune!d --mirror!d -n,--dry-run --porcelain -d,--delete!d --tags --follow-tags --signed? --atomic -o,--push-option= --receive-pack,--exec=prog!r --force-with-lease?!d --force-if-includes
      -f,--force!d --repo= -u,--set-upstream --thin --no-thin -q,--quiet -v,--verbose --progress --recurse-submodules= --verify --no-verify -4 -6`,
    more: push,
  },
  "ls-remote": {
    options:
      "-b,-h,--heads,--branches -t,--tags --refs --upload-pack,--exec=prog!r -q,--quiet --exit-code --get-url --symref --sort= -o,--server-option=",
    more: connect,
  },
  clone: {
    options: `-l,--local --no-hardlinks -s,--shared --reference=read --reference-if-able=read --dissociate -q -v --progress --server-option= -n,--no-checkout --reject-shallow --bare --sparse --filter=
      --also-filter-submodules --mirror -o,--origin= -b,--branch= --revision= -u,--upload-pack=prog!r --template=load!l -c,--config= --depth= --shallow-since= --shallow-exclude= --single-branch --no-single-branch
      --tags --no-tags --recurse-submodules? --recursive --shallow-submodules --remote-submodules --separate-git-dir=write!w --ref-format= -j,--jobs= --bundle-uri=url`,
    more: clone,
  },
  config: {
    options: `--global --system --local --worktree -f,--file= --blob= --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l,--list --name-only --show-origin --show-scope -z,--null --type=
      --bool --int --bool-or-int --path --expiry-date --no-type --default= --includes --no-includes --add --replace-all --unset --unset-all --rename-section --remove-section -e,--edit --fixed-value --all
      --regexp --value= --url= --comment= --append`,
    more: config,
  },
  remote: {
    options: "-v,--verbose",
    subs: {
      add: { does: "configure", options: "-t= -m= -f --tags --no-tags --mirror?" },
      rename: { does: "configure" },
      remove: { does: "configure" },
      rm: { does: "configure" },
      "set-head": { does: "configure" },
      "set-branches": { does: "configure" },
      "set-url": { does: "configure" },
      "get-url": {},
      show: { network: true },
      prune: { network: true, does: "delete" },
      update: { network: true },
    },
  },
  submodule: {
    options: "-q,--quiet --cached",
    subs: {
      foreach: { options: "--recursive -q,--quiet", posix: true, more: foreach },
      add: { options: "-b= -f --name= --reference=read --depth= -q", more: connect, does: "configure" },
      update: {
        options: "--init --remote --no-fetch --recursive --reference=read --depth= --jobs= -j= -f --checkout --merge --rebase --filter=",
        network: true,
      },
      init: {},
      deinit: { does: "delete" },
      status: {},
      summary: {},
      sync: {},
      "set-branch": { does: "configure" },
      "set-url": { does: "configure" },
      absorbgitdirs: {},
    },
  },
  bisect: {
    options: "",
    subs: {
      run: { posix: true, more: (use, out) => use.operands.slice(0, 1).forEach(({ at }) => runArgv(out, at)) },
      start: {},
      bad: {},
      good: {},
      new: {},
      old: {},
      terms: {},
      skip: {},
      next: {},
      reset: {},
      visualize: { does: "run" },
      view: { does: "run" },
      replay: { operands: "load" },
      log: {},
      help: {},
    },
  },
  "filter-branch": {
    options: `--setup=script!r --subdirectory-filter= --env-filter=script!r --tree-filter=script!r --index-filter=script!r --parent-filter=script!r --msg-filter=script!r --commit-filter=script!r
      --tag-name-filter=script!r --prune-empty --original= -d=write!w -f,--force --state-branch=`,
    posix: true,
  },
  archive: {
    options:
      "--format= -l,--list -v --prefix= -o,--output=write!w --add-file=read!l --add-virtual-file= --worktree-attributes --mtime= --remote=remote!s --exec=prog!r -0 -9",
    operands: "data read*",
  },
  "format-patch": {
    options: `${LOG} -o,--output-directory=write!w -k -N -s,--signoff --stdout --attach? --inline? --thread? --in-reply-to= --ignore-if-in-upstream --cover-from-description= --subject-prefix= --rfc? --filename-max-length= -v,--reroll-count= --to= --cc= --cover-letter --encode-email-headers --notes? --signature= --signature-file=read --suffix= --base= --progress --interdiff= --range-diff= --creation-factor=`,
    more: formatPatch,
  },
  apply: {
    options:
      "--stat --numstat --summary --check --index --cached -N,--intent-to-add -3,--3way --build-fake-ancestor=write!w -R,--reverse --reject -z -p= -C= --unidiff-zero --apply --no-add --allow-binary-replacement --binary --exclude= --include= --ignore-whitespace --ignore-space-change --whitespace= --inaccurate-eof -q,--quiet -v,--verbose --recount --directory= --unsafe-paths!w --allow-empty",
    operands: PATHS,
    more: applyPatch,
  },
  am: {
    options:
      "-s -k -q -u -3 -i --whitespace= -C= -p= --directory= --exclude= --include= --reject --patch-format= --continue --skip --abort --quit --show-current-patch? --resolvemsg= -S?",
    operands: PATHS,
    more: applyMails,
  },
  init: {
    options: "-q --bare --template=load!l --separate-git-dir=write!w --object-format= -b,--initial-branch= --shared?",
    operands: "write",
  },
  worktree: {
    options: "",
    subs: {
      add: {
        options: "-f -b= -B= -d --detach --checkout --no-checkout --lock --reason= --orphan -q --track --guess-remote",
        operands: "write data",
      },
      list: {},
      lock: {},
      unlock: {},
      move: { operands: "move write" },
      prune: { does: "delete" },
      remove: { operands: "delete", below: "always" },
      repair: {},
    },
  },
  "ls-files": {
    options:
      "-c -d -m -o -i -s -u -k -z -t -v -f --directory --no-empty-directory --eol --deduplicate -x,--exclude= -X,--exclude-from=read --exclude-per-directory= --exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules --abbrev? --format= --others --cached --modified --deleted --ignored --stage --unmerged",
    operands: PATHS,
  },
  "ls-tree": TREE,
};
