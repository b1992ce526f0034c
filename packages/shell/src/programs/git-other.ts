import { formats } from "./git-handlers.ts";
import { listed } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses } from "./use.ts";

const names = (list: string, spec: Spec): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    list
      .trim()
      .split(/\s+/)
      .map((name) => [name, spec]),
  );

/** Subcommands of git with little to say. */
export const GIT_OTHER: Readonly<Record<string, Spec>> = {
  ...names(
    `rev-parse describe name-rev merge-base check-ignore check-attr check-mailmap check-ref-format count-objects cherry show-branch show-ref show-index verify-commit verify-tag
    version var get-tar-commit-id patch-id stripspace column merge-tree request-pull rerere sparse-checkout gc prune pack-refs pack-objects repack commit-graph
    multi-pack-index read-tree write-tree mktree mktag prune-packed unpack-objects update-server-info pack-redundant replay last-modified survey`,
    {},
  ),
  ...names(
    "daemon instaweb gui citool shell http-backend credential credential-cache credential-store hook upload-pack receive-pack upload-archive remote-ext web--browse gitk",
    { does: "run" },
  ),
  "update-index": {
    options: `--add --remove --refresh --really-refresh -q --ignore-submodules --replace --unmerged --ignore-missing --chmod= --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree -g,--again
      --unresolve --info-only --force-remove --stdin --index-version= --index-info --cacheinfo --verbose -z --split-index --no-split-index --untracked-cache --no-untracked-cache --force-untracked-cache`,
    operands: "read*",
    more: (use, out) => {
      if (uses(use, "stdin")) listed(out);
    },
  },
  "commit-tree": { options: "-p= -m= -F=read -S?", operands: "data*" },
  "fmt-merge-msg": { options: "-F,--file=read -m,--message= --log? --no-log --into-name=" },
  "index-pack": {
    options: "-v -o=write!w --stdin --fix-thin --keep? --strict? --index-version= --threads= --rev-index --no-rev-index",
    operands: "read",
  },
  "verify-pack": { options: "-v,--verbose -s,--stat-only", operands: "read*" },
  notes: {
    options: "--ref=",
    subs: {
      ...names("add append", {
        options:
          "-f,--force -m,--message= -F,--file=read -C,--reuse-message= -c,--reedit-message= --allow-empty --separator? --no-separator --stripspace --no-stripspace -e,--edit",
        operands: "data*",
      }),
      ...names("list show copy edit merge remove prune get-ref", { operands: "data*" }),
    },
  },
  ...names("p4 cvsimport cvsexportcommit http-fetch annex", { network: true, operands: "data*" }),
  "http-push": { options: "--all --dry-run --force!d -d!d -D!d --verbose", network: true, operands: "data*" },
  "fetch-pack": {
    options:
      "--upload-pack,--exec=prog!r --all --stdin -q,--quiet -k,--keep --thin --include-tag --depth= --shallow-since= --shallow-exclude= --deepen-relative --refetch --no-progress --check-self-contained-and-connected -v",
    network: true,
    operands: "remote data*",
  },
  svn: {
    options: "-q,--quiet -v",
    network: true,
    subs: {
      ...names("set-tree commit-diff migrate reset gc", { does: "write", operands: "data*" }),
      ...names("init create-ignore mkdirs", { does: "write", operands: "data*" }),
      "*": { operands: "data*" },
    },
  },
  lfs: {
    options: "",
    extensible: true,
    subs: {
      ...names("push fetch pull clone lock unlock locks", { network: true, operands: "data*" }),
      ...names("install uninstall update ext", { does: "configure" }),
      ...names("track untrack checkout migrate dedup", { does: "write" }),
      ...names("env logs ls-files status fsck version pointer help", { operands: "data*" }),
      prune: { does: "delete" },
    },
  },
  subtree: {
    options: "-q,--quiet -d,--debug -P,--prefix=write",
    network: true,
    subs: names("add merge split pull push", {
      options:
        "-q,--quiet -d,--debug -P,--prefix=write -m,--message= --squash --rejoin -b,--branch= --onto= --ignore-joins --annotate= -S?",
    }),
  },
  ...names("bugreport diagnose", { options: "-o,--output-directory=write!w", alone: "write" }),
  "for-each-ref": {
    options: `--count= -s,--shell -p,--perl --python --tcl --format= --color? --sort= --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case
      --omit-empty --exclude= --include-root-refs --stdin`,
    more: formats,
  },
  "send-pack": {
    options:
      "--receive-pack,--exec=prog!r --all --stdin --dry-run --mirror!d -f,--force!d -v,--verbose --thin --atomic --signed? --push-option=",
    network: true,
    operands: "remote data*",
  },
  "send-email": {
    options:
      "--sendmail-cmd=prog!r --to-cmd=prog!r --cc-cmd=prog!r --header-cmd=prog!r --smtp-server=prog!r --compose!r --smtp-encryption= --to= --cc= --bcc= --from= --subject=",
    does: "send",
    network: true,
    operands: "read*",
  },
  "imap-send": { does: "send", network: true },
  quiltimport: { operands: "read*" },
  "update-ref": { options: "-d!d -m= --no-deref --stdin --create-reflog -z", operands: "data!w*" },
  "symbolic-ref": { options: "-d!d -m= -q --short --no-recurse", operands: "data data!w" },
  replace: { options: "-d!d -l,--list --edit!r --graft!w -f!w --raw --format=", operands: "data!w*", quiet: "list" },
  "cat-file": {
    options:
      "-t -s -e -p --textconv!r --filters!r --path= --batch? --batch-check? --batch-command? --batch-all-objects --buffer --follow-symlinks --unordered -z --allow-unknown-type --use-mailmap",
    operands: "data*",
  },
  "hash-object": {
    options: "-t= -w!w --stdin --stdin-paths --no-filters --path= --literally",
    operands: "read*",
    more: (use, out) => {
      if (uses(use, "stdin-paths")) listed(out);
    },
  },
  "checkout-index": { options: "--prefix=write!w -a -f -u -q -n --stage= --temp -z --stdin", operands: "write*" },
  "merge-file": { options: "-p,--stdout -L= -q --ours --theirs --union --object-id", operands: "write read read" },
  "merge-index": { does: "run", carries: true },
  "merge-one-file": {},
  "interpret-trailers": {
    options:
      "--in-place!w --trim-empty --where= --if-exists= --if-missing= --only-trailers --only-input --unfold --parse --no-divider --trailer=",
    operands: "read*",
  },
  mailinfo: { operands: "write write" },
  mailsplit: { options: "-o=write!w", operands: "read*" },
  bundle: {
    options: "-q",
    subs: {
      create: { options: "-q,--quiet --quiet --progress --all-progress --version=", operands: "write!w data*" },
      verify: { operands: "read" },
      "list-heads": { operands: "read" },
      unbundle: { operands: "read" },
    },
  },
  fsck: {
    options:
      "--lost-found!w --unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --strict --verbose --progress --connectivity-only --name-objects",
  },
  "fast-import": { options: "--import-marks=read --export-marks=write!w --cat-blob-fd= --force", does: "write" },
  "fast-export": { options: "--export-marks=write!w --import-marks=read --all --signed-tags= -M -C" },
  "filter-repo": {
    options: "--message-callback=code!r --blob-callback=code!r --commit-callback=code!r --path= --invert-paths --force",
    does: "delete",
  },
  help: { options: "-a,--all -g,--guides -i,--info -m,--man -w,--web!r -c --no-external-commands --no-aliases" },
  maintenance: {
    subs: {
      run: {},
      start: { does: "configure" },
      stop: { does: "configure" },
      register: { does: "configure" },
      unregister: { does: "configure" },
    },
  },
  backfill: { network: true },
};
