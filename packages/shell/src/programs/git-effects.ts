import type { EffectTable } from "./effect-patterns.ts";

export const GIT_EFFECTS: EffectTable = {
  "git hub": {
    reads: `status, log, show, clean --dry-run, whatchanged, shortlog, rev-list, diff, diff-tree, diff-index, diff-files, range-diff, grep, blame,
      annotate, reflog, rev-parse, describe, name-rev, merge-base, check-ignore, check-attr, check-mailmap, check-ref-format, count-objects,
      cherry, show-branch, show-ref, verify-commit, verify-tag, verify-pack, version, var, ls-files, ls-tree, ls-remote, cat-file,
      for-each-ref, fsck, fast-export, archive, help, hash-object, merge-tree, request-pull, get-tar-commit-id, patch-id, stripspace,
      column, config, remote $, remote --verbose, remote show, remote get-url, stash list, stash show, worktree list, bisect log,
      bisect terms, submodule $, submodule status, submodule summary, notes list, notes show, bundle verify, bundle list-heads,
      lfs env, lfs logs, lfs ls-files, lfs status, lfs version, branch, tag, symbolic-ref, interpret-trailers, fmt-merge-msg`,
    writes:
      "format-patch, bugreport, diagnose, bundle create, index-pack, mailinfo, mailsplit, checkout-index, merge-file",
    moves: "mv",
    deletes: "rm !--cached, restore, clean !--dry-run, lfs prune",
    "delete-below": "rm -r !--cached",
    "changes-repository": `add, commit, checkout, switch, restore, reset, merge, rebase, cherry-pick, revert, stash, init, clone, fetch, pull,
      am, apply, rm, mv, clean !--dry-run, worktree add, worktree move, worktree lock, worktree unlock, worktree repair, worktree prune,
      worktree remove, bisect, notes, update-index, update-ref, write-tree, read-tree, commit-tree, mktree, mktag, sparse-checkout, gc,
      prune, repack, pack-refs, pack-objects, prune-packed, unpack-objects, commit-graph, multi-pack-index, rerere, replace, submodule init,
      submodule deinit, submodule sync, submodule update, submodule add, bundle unbundle, quiltimport, maintenance run, subtree`,
    "discards-work": `reset --hard, checkout --force, checkout --, checkout ... ., checkout ... ./, switch --discard-changes, switch --force,
      stash drop, stash clear, clean --force`,
    "rewrites-history": `filter-branch, filter-repo, reflog expire, reflog delete, reflog drop, gc --prune=now, gc --prune=all, prune --expire=now, prune --expire=all, update-ref -d, replace, branch -D,
      worktree remove --force`,
    pushes: "push, lfs push, svn dcommit, subtree push",
    "overwrites-remote": "push --force, push --mirror, push --prune, push --delete",
    network: `push, pull, fetch, clone, ls-remote, submodule update, submodule add, submodule foreach, remote add, remote set-url, remote update, remote prune, archive --remote,
      send-email, lfs fetch, lfs pull, svn`,
    configures:
      "config --edit, config edit, commit --no-verify, push --no-verify, merge --no-verify, rebase --no-verify, lfs install, lfs uninstall, maintenance start",
    "runs-command": "bisect run, submodule foreach",
    "runs-code": "difftool, mergetool, gui, citool, instaweb, daemon, shell, hook",
  },
  bfg: { "rewrites-history": "**" },
  tig: { reads: "*" },
};
