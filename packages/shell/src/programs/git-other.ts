import { formats, showsListed } from "./git-handlers.ts";
import { noteListedFiles } from "./findings.ts";
import { namesFiles, printsTracked } from "./git-prints.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec } from "./program-spec.ts";
import { kind, many, one, options, reads } from "./option-groups.ts";

const names = (list: string, spec: Spec): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    list
      .trim()
      .split(/\s+/)
      .map((name) => [name, spec]),
  );

export const GIT_OTHER: Readonly<Record<string, Spec>> = {
  ...names(
    `rev-parse describe name-rev merge-base check-ignore check-attr check-mailmap check-ref-format count-objects cherry show-branch show-ref show-index
    verify-commit verify-tag version var get-tar-commit-id patch-id stripspace column`,
    { prints: true },
  ),
  ...names(
    `merge-tree request-pull rerere sparse-checkout gc prune pack-refs pack-objects repack commit-graph
    multi-pack-index read-tree write-tree mktree mktag prune-packed unpack-objects update-server-info pack-redundant replay last-modified survey`,
    {},
  ),
  ...names(
    "daemon instaweb gui citool shell http-backend credential credential-cache credential-store hook upload-pack receive-pack upload-archive remote-ext web--browse gitk",
    { does: "run" },
  ),
  "update-index": {
    options: options`--add --remove --refresh --really-refresh -q --ignore-submodules --replace --unmerged --ignore-missing
      --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree -g,--again --unresolve --info-only --force-remove
      --stdin --verbose -z --split-index --no-split-index --untracked-cache --no-untracked-cache --force-untracked-cache ${kind.value}
      --chmod --index-version ${kind.flag} --index-info --cacheinfo`,
    operands: [many("read")],
    more: (use, out) => {
      if (hasOption(use, "stdin")) noteListedFiles(out);
    },
  },
  "commit-tree": {
    options: options`${kind.value} -p -m ${kind.read} -F ${kind.optional} -S`,
    operands: [many("data")],
  },
  "fmt-merge-msg": {
    options: options`--no-log ${kind.read} -F,--file ${kind.value} -m,--message --into-name ${kind.optional} --log`,
  },
  "index-pack": {
    options: options`-v --stdin --fix-thin --rev-index --no-rev-index ${kind.write} -o ${kind.optional} --keep --strict ${kind.value}
      --index-version --threads`,
    operands: ["read"],
  },
  "verify-pack": reads`-v,--verbose -s,--stat-only`,
  notes: {
    options: options`${kind.value} --ref`,
    subs: {
      ...names("add append", {
        options: options`-f,--force --allow-empty --no-separator --no-stripspace -e,--edit ${kind.value} -m,--message -C,--reuse-message
          -c,--reedit-message ${kind.read} -F,--file ${kind.optional} --separator ${kind.flag} --stripspace`,
        operands: [many("data")],
      }),
      ...names("list show copy edit merge remove prune get-ref", { operands: [many("data")] }),
    },
  },
  ...names("p4 cvsimport cvsexportcommit http-fetch annex", {
    network: true,
    operands: [many("data")],
  }),
  "http-push": {
    options: options`--all --dry-run --verbose ${kind.flagThat("delete")} --force -d -D`,
    network: true,
    operands: [many("data")],
  },
  "fetch-pack": {
    options: options`--all --stdin -q,--quiet -k,--keep --thin --include-tag --refetch --no-progress --check-self-contained-and-connected
      -v ${kind.script} --upload-pack,--exec ${kind.value} --depth --shallow-since --shallow-exclude ${kind.flag} --deepen-relative`,
    network: true,
    operands: ["remote", many("data")],
  },
  svn: {
    options: options`-q,--quiet -v`,
    network: true,
    subs: {
      ...names("set-tree commit-diff migrate reset gc", {
        does: "write",
        operands: [many("data")],
      }),
      ...names("init create-ignore mkdirs", { does: "write", operands: [many("data")] }),
      "*": { operands: [many("data")] },
    },
  },
  lfs: {
    options: [],
    extensible: true,
    subs: {
      ...names("push fetch pull clone lock unlock locks", {
        network: true,
        operands: [many("data")],
      }),
      ...names("install uninstall update ext", { does: "configure" }),
      ...names("track untrack checkout migrate dedup", { does: "write" }),
      ...names("env logs ls-files status fsck version pointer help", { operands: [many("data")] }),
      prune: { does: "delete" },
    },
  },
  subtree: {
    options: options`-q,--quiet -d,--debug ${kind.takes("write")} -P,--prefix`,
    network: true,
    subs: names("add merge split pull push", {
      options: options`-q,--quiet -d,--debug --squash --rejoin --ignore-joins ${kind.takes("write")} -P,--prefix ${kind.value}
        -m,--message -b,--branch --onto --annotate ${kind.optional} -S`,
    }),
  },
  ...names("bugreport diagnose", {
    options: options`${kind.write} -o,--output-directory`,
    alone: "write",
  }),
  "for-each-ref": {
    options: options`-s,--shell -p,--perl --python --tcl --ignore-case --omit-empty --include-root-refs --stdin ${kind.value} --count
      --format --sort --points-at --exclude ${kind.optional} --color --merged --no-merged --contains --no-contains`,
    more: formats,
  },
  "send-pack": {
    options: options`--all --stdin --dry-run -v,--verbose --thin --atomic ${kind.script} --receive-pack,--exec ${kind.flagThat("delete")}
      --mirror -f,--force ${kind.optional} --signed ${kind.value} --push-option`,
    network: true,
    operands: ["remote", many("data")],
  },
  "send-email": {
    options: options`${kind.script} --sendmail-cmd --to-cmd --cc-cmd --header-cmd --smtp-server ${kind.flagThat("run")} --compose
      ${kind.value} --smtp-encryption --to --cc --bcc --from --subject`,
    does: "send",
    network: true,
    operands: [many("read")],
  },
  "imap-send": { does: "send", network: true },
  quiltimport: { operands: [many("read")] },
  "update-ref": {
    options: options`--no-deref --stdin --create-reflog -z ${kind.flagThat("delete")} -d ${kind.value} -m`,
    operands: [many("data", "write")],
  },
  "symbolic-ref": {
    options: options`-q --short --no-recurse ${kind.flagThat("delete")} -d ${kind.value} -m`,
    operands: ["data", one("data", "write")],
  },
  replace: {
    options: options`-l,--list --raw ${kind.flagThat("delete")} -d ${kind.flagThat("run")} --edit ${kind.flagThat("write")} --graft -f
      ${kind.value} --format`,
    operands: [many("data", "write")],
    quiet: "list",
  },
  "cat-file": {
    options: options`-t -s -e -p --follow-symlinks --unordered -z --allow-unknown-type --use-mailmap ${kind.flagThat("run")} --textconv
      --filters ${kind.value} --path ${kind.optional} --batch --batch-check --batch-command ${kind.flag} --batch-all-objects --buffer`,
    more: (use, out) => {
      showsListed(use, out);
      const names = use.operands.slice(hasOption(use, "t s e p") ? 0 : 1);
      if (!hasOption(use, "t s e batch-check") && !namesFiles({ operands: names }))
        printsTracked(use, out, "top");
    },
  },
  "hash-object": {
    options: options`--stdin --stdin-paths --no-filters --literally ${kind.value} -t --path ${kind.flagThat("write")} -w`,
    operands: [many("read")],
    more: (use, out) => {
      if (hasOption(use, "stdin-paths")) noteListedFiles(out);
    },
  },
  "checkout-index": {
    options: options`-a -f -u -q -n --temp -z ${kind.write} --prefix ${kind.value} --stage ${kind.flag} --stdin`,
    operands: [many("write")],
  },
  "merge-file": {
    options: options`-p,--stdout -q --ours --theirs --union --object-id ${kind.value} -L`,
    operands: ["write", "read", "read"],
  },
  "merge-index": { does: "run", carries: true },
  "merge-one-file": {},
  "interpret-trailers": reads`--trim-empty --only-trailers --only-input --unfold --parse --no-divider ${kind.flagThat("write")} --in-place
      ${kind.value} --where --if-exists --if-missing --trailer`,
  mailinfo: { operands: ["write", "write"] },
  mailsplit: reads`${kind.write} -o`,
  bundle: {
    options: options`-q`,
    subs: {
      create: {
        options: options`-q,--quiet --quiet --progress --all-progress ${kind.value} --version`,
        operands: [one("write", "write"), many("data")],
      },
      verify: { operands: ["read"] },
      "list-heads": { operands: ["read"] },
      unbundle: { operands: ["read"] },
    },
  },
  fsck: {
    options: options`--unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --strict --verbose --progress
      --connectivity-only --name-objects ${kind.flagThat("write")} --lost-found`,
  },
  "fast-import": {
    options: options`--force ${kind.read} --import-marks ${kind.write} --export-marks ${kind.value} --cat-blob-fd`,
    does: "write",
  },
  "fast-export": {
    options: options`--all -M -C ${kind.write} --export-marks ${kind.read} --import-marks ${kind.value} --signed-tags`,
  },
  "filter-repo": {
    options: options`--invert-paths --force ${kind.code} --message-callback --blob-callback --commit-callback ${kind.value} --path`,
    does: "delete",
  },
  help: {
    options: options`-a,--all -g,--guides -i,--info -m,--man -c --no-external-commands --no-aliases ${kind.flagThat("run")} -w,--web`,
  },
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
