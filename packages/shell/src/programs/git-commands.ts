import { runArgv } from "./apply-spec.ts";
import { GIT_ADD } from "./git-add.ts";
import {
  applyMails,
  applyPatch,
  checkout,
  clean,
  config,
  connect,
  foreach,
  formatPatch,
  formats,
  remove,
  restore,
  stash,
  merges,
} from "./git-handlers.ts";
import { LOG } from "./git-options.ts";
import { GIT_OTHER } from "./git-other.ts";
import { printsHunks, printsTracked } from "./git-prints.ts";
import type { Spec } from "./program-spec.ts";
import { kind, many, options, connects } from "./option-groups.ts";
import { PATHS, GIT_LOG, GIT_READERS } from "./git-readers.ts";
import { GIT_TRANSFERS } from "./git-transfers.ts";
import { toTarget } from "./to-target.ts";
const TREE: Spec = { operands: PATHS, below: "always", prints: true };
const LISTING = "list contains no-contains merged no-merged points-at show-current verify n";

export const GIT_SUBS: Readonly<Record<string, Spec>> = {
  ...GIT_OTHER,
  ...GIT_READERS,
  branch: {
    options: options`-l,--list -a,--all -r,--remotes -v,-vv,--verbose -i,--ignore-case --omit-empty -q,--quiet -t --create-reflog
      --recurse-submodules ${kind.optional} --contains --no-contains --merged --no-merged --color --column --track ${kind.value}
      --points-at --format --sort --abbrev ${kind.flag} --show-current --no-color --no-column --no-abbrev --no-track
      ${kind.flagThat("delete")} -d,-D,--delete ${kind.flagThat("write")} -m,-M,--move -c,-C,--copy -f,--force
      ${kind.valueThat("configure")} -u,--set-upstream-to ${kind.flagThat("configure")} --unset-upstream ${kind.flagThat("run")}
      --edit-description`,
    operands: [many("data", "write")],
    quiet: LISTING,
    more: formats,
  },
  tag: {
    options: options`-l,--list -i --omit-empty -v,--verify -a,--annotate ${kind.optional} -n --contains --no-contains --merged --no-merged
      --color --column ${kind.value} --points-at --format --sort -u,--local-user -m,--message --trailer --cleanup ${kind.flag} --no-column
      -s,--sign --no-sign --create-reflog ${kind.flagThat("delete")} -d,--delete ${kind.read} -F,--file ${kind.flagThat("run")} -e,--edit
      ${kind.flagThat("write")} -f,--force`,
    operands: [many("data", "write")],
    quiet: LISTING,
    more: formats,
  },
  add: GIT_ADD,
  stage: GIT_ADD,
  commit: {
    options: options`-a,--all -p,--patch --branch --porcelain --long -z,--null --no-signoff -n,--no-verify --allow-empty
      --allow-empty-message -e,--edit --no-edit --amend --no-post-rewrite -i,--include -o,--only --pathspec-file-nul -v,--verbose
      -q,--quiet --no-status --no-gpg-sign ${kind.value} -C,--reuse-message -c,--reedit-message --fixup --squash --author --date
      -m,--message --cleanup ${kind.flag} --reset-author --short -s,--signoff --dry-run --status ${kind.read} -F,--file -t,--template
      ${kind.value} --trailer ${kind.takes("read", "load")} --pathspec-from-file ${kind.optional} -u --untracked-files -S --gpg-sign`,
    operands: PATHS,
    more: printsHunks,
  },
  rm: {
    options: options`-f,--force -n,--dry-run -r --cached --ignore-unmatch --sparse -q,--quiet --pathspec-file-nul
      ${kind.takes("read", "load")} --pathspec-from-file`,
    more: remove,
  },
  mv: { options: options`-v -f -n -k`, more: toTarget("move") },
  clean: {
    options: options`-d -f,--force -i,--interactive -n,--dry-run -q,--quiet -x -X ${kind.value} -e,--exclude`,
    more: clean,
  },
  checkout: {
    options: options`-q,--quiet --progress --ours --theirs -t --no-track --guess --no-guess -l -d,--detach --ignore-skip-worktree-bits
      -m,--merge --ignore-other-worktrees --overwrite-ignore --overlay --no-overlay --pathspec-file-nul
      ${kind.flagThat("delete")} -f,--force -p,--patch ${kind.value} -b --orphan --conflict ${kind.valueThat("write")} -B ${kind.optional} --track
      --recurse-submodules ${kind.takes("read", "load")} --pathspec-from-file`,
    more: checkout,
  },
  switch: {
    options: options`-d,--detach --guess -m,--merge -q --progress -t --ignore-other-worktrees ${kind.value} -c,--create --conflict
      --orphan ${kind.valueThat("write")} -C,--force-create ${kind.flagThat("delete")} -f,--force --discard-changes ${kind.optional}
      --track --recurse-submodules`,
  },
  restore: {
    options: options`${kind.flagThat("delete")} -W,--worktree -p,--patch ${kind.flag} -q --ours --theirs -m,--merge --ignore-unmerged --overlay
      --no-staged --no-worktree --no-source --no-patch ${kind.value} -s,--source
      --conflict ${kind.flag} -S,--staged ${kind.takes("read", "load")} --pathspec-from-file`,
    more: restore,
  },
  reset: {
    options: options`--mixed -N --soft --keep -q,--quiet -p,--patch ${kind.flagThat("delete")} --hard --merge
      ${kind.takes("read", "load")} --pathspec-from-file ${kind.optional} --recurse-submodules ${kind.flag} --refresh`,
    more: printsHunks,
  },
  merge: {
    options: options`--commit --no-commit -e,--edit --no-edit --ff --no-ff --ff-only --signoff --stat -n --squash --no-squash --verify
      --no-verify --allow-unrelated-histories --abort --quit --continue --autostash --rerere-autoupdate -q -v ${kind.value} --cleanup
      -s,--strategy -X,--strategy-option -m --into-name ${kind.optional} -S --log ${kind.read} -F,--file`,
    more: merges,
  },
  rebase: {
    options: options`--keep-base --continue --skip --abort --quit --show-current-patch --apply --no-keep-empty --keep-empty
      --reapply-cherry-picks --allow-empty-message -m,--merge --rerere-autoupdate -q -v -n --no-verify --verify --no-ff --force-rebase -f
      --fork-point --ignore-whitespace --committer-date-is-author-date --reset-author-date --signoff --root --autosquash --no-autosquash
      --autostash --no-autostash --reschedule-failed-exec --update-refs ${kind.value} --onto --empty -s,--strategy -X,--strategy-option -C
      --whitespace ${kind.flagThat("run")} --edit-todo -i,--interactive ${kind.optional} -S -r --rebase-merges ${kind.flag} --stat
      ${kind.script} -x,--exec`,
    more: merges,
  },
  "cherry-pick": {
    options: options`-e,--edit -x -r -n,--no-commit -s --ff --allow-empty --abort --quit ${kind.value} --cleanup -m,--mainline -X
      --strategy ${kind.optional} -S ${kind.flag} --continue --skip`,
    more: merges,
  },
  revert: {
    options: options`-e,--edit --no-edit -n -s --abort --quit ${kind.value} -m,--mainline --cleanup -X --strategy ${kind.optional} -S
      ${kind.flag} --continue --skip`,
    more: merges,
  },
  stash: {
    options: options`-p,--patch -k,--keep-index --no-keep-index -u,--include-untracked -a,--all -q,--quiet -S,--staged ${kind.value}
      -m,--message ${kind.takes("read", "load")} --pathspec-from-file`,
    more: stash,
    subs: {
      push: {
        options: options`-p,--patch -k,--keep-index --no-keep-index -u,--include-untracked -a,--all -q,--quiet -S,--staged ${kind.value}
          -m,--message ${kind.takes("read", "load")} --pathspec-from-file`,
        more: stash,
      },
      save: {},
      list: GIT_LOG,
      show: GIT_LOG,
      pop: {},
      apply: {},
      branch: {},
      create: {},
      store: {},
      drop: { does: "delete" },
      clear: { does: "delete" },
    },
  },
  ...GIT_TRANSFERS,
  config: {
    options: options`--global --system --local --worktree --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool
      -l,--list --name-only --show-origin --show-scope -z,--null --int --path --expiry-date --no-type --includes --no-includes --add
      --replace-all --unset --unset-all --rename-section --remove-section -e,--edit --all --regexp --append ${kind.value} -f,--file --blob
      --type --default --value --url --comment ${kind.flag} --bool --bool-or-int --fixed-value`,
    more: config,
  },
  remote: {
    options: options`-v,--verbose`,
    subs: {
      add: {
        does: "configure",
        options: options`-f --tags --no-tags ${kind.value} -t -m ${kind.optional} --mirror`,
      },
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
    options: options`-q,--quiet --cached`,
    subs: {
      foreach: { options: options`--recursive -q,--quiet`, posix: true, more: foreach },
      add: {
        options: options`-f -q ${kind.value} -b --name --depth ${kind.read} --reference`,
        more: connect,
        does: "configure",
      },
      update: connects`--init --remote --no-fetch --recursive -f --checkout --merge --rebase ${kind.read} --reference ${kind.value}
          --depth --jobs -j --filter`,
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
    options: [],
    subs: {
      run: {
        posix: true,
        more: (use, out) => use.operands.slice(0, 1).forEach(({ at }) => runArgv(out, at)),
      },
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
      replay: { operands: ["load"] },
      log: {},
      help: {},
    },
  },
  "filter-branch": {
    options: options`--prune-empty -f,--force ${kind.script} --setup --env-filter --tree-filter --index-filter --parent-filter
      --msg-filter --commit-filter --tag-name-filter ${kind.value} --subdirectory-filter --original --state-branch ${kind.write} -d`,
    posix: true,
  },
  archive: {
    options: options`-l,--list -v --worktree-attributes -0 -9 ${kind.value} --format --prefix --add-virtual-file --mtime ${kind.write}
      -o,--output ${kind.takes("read", "load")} --add-file ${kind.takes("remote", "send")} --remote ${kind.script} --exec`,
    operands: ["data", many("read")],
    more: (use, out) => printsTracked(use, out, "below"),
  },
  "format-patch": {
    options: options`${LOG} -k -N -s,--signoff --stdout --encode-email-headers --progress ${kind.write} -o,--output-directory
      ${kind.optional} --attach --inline --thread --rfc --notes ${kind.value} --in-reply-to --cover-from-description --subject-prefix
      --filename-max-length -v,--reroll-count --to --cc --signature --base --interdiff --range-diff --creation-factor
      ${kind.flag} --ignore-if-in-upstream --cover-letter ${kind.read} --signature-file
      ${kind.valueThat("write")} --suffix`,
    more: (use, out) => {
      formatPatch(use, out);
      printsTracked(use, out, "top");
    },
  },
  apply: {
    options: options`--stat --numstat --summary --check --index --cached -N,--intent-to-add -3,--3way -R,--reverse --reject -z
      --unidiff-zero --apply --no-add --allow-binary-replacement --binary --ignore-whitespace --ignore-space-change --inaccurate-eof
      -q,--quiet -v,--verbose --recount --allow-empty ${kind.write} --build-fake-ancestor ${kind.value} -p -C --exclude --include
      --whitespace --directory ${kind.flagThat("write")} --unsafe-paths`,
    operands: PATHS,
    more: applyPatch,
  },
  am: {
    options: options`-s -k -q -u -3 -i --reject --continue --skip --abort --quit ${kind.value} --whitespace -C -p --directory --exclude
      --include --patch-format --resolvemsg ${kind.optional} --show-current-patch -S`,
    operands: PATHS,
    more: applyMails,
  },
  init: {
    options: options`-q --bare ${kind.load} --template ${kind.write} --separate-git-dir ${kind.value} --object-format -b,--initial-branch
      ${kind.optional} --shared`,
    operands: ["write"],
  },
  worktree: {
    options: [],
    subs: {
      add: {
        options: options`-f -d --detach --checkout --no-checkout --lock --orphan -q --track --guess-remote ${kind.value} -b -B --reason`,
        operands: ["write", "data"],
      },
      list: { options: options`--porcelain -v,--verbose -z` },
      lock: {},
      unlock: {},
      move: { operands: ["move", "write"] },
      prune: { does: "delete" },
      remove: {
        options: options`${kind.flagThat("delete")} -f,--force`,
        operands: ["delete"],
        below: "always",
      },
      repair: {},
    },
  },
  "ls-files": {
    options: options`-c -d -m -o -i -s -u -k -z -t -v -f --directory --no-empty-directory --eol --deduplicate --error-unmatch --full-name
      --recurse-submodules --others --cached --modified --deleted --ignored --stage --unmerged ${kind.value} -x,--exclude --with-tree
      --format ${kind.read} -X,--exclude-from ${kind.value} --exclude-per-directory ${kind.flag} --exclude-standard ${kind.optional}
      --abbrev`,
    operands: PATHS,
  },
  "ls-tree": TREE,
};
