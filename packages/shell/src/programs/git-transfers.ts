import type { Spec } from "./program-spec.ts";
import { clone, connect, fetch, merges, push } from "./git-handlers.ts";
import { CONNECT } from "./git-options.ts";
import { kind, options } from "./option-groups.ts";

/** Commands that connect to other repositories. */
export const GIT_TRANSFERS: Readonly<Record<string, Spec>> = {
  fetch: { options: CONNECT, more: fetch },
  pull: {
    options: options`${CONNECT} --no-rebase --ff --no-ff --ff-only -e,--edit --no-edit --commit --no-commit --autostash --no-autostash
      --allow-unrelated-histories --no-verify ${kind.optional} -r --rebase --log -S ${kind.value} -s,--strategy -X,--strategy-option
      ${kind.flag} --squash --stat --signoff`,
    more: (use, out) => {
      fetch(use, out);
      merges(use, out);
    },
  },
  push: {
    options: options`--all,--branches -n,--dry-run --porcelain --tags --follow-tags --atomic --force-if-includes --thin --no-thin
      -q,--quiet -v,--verbose --progress --verify --no-verify -4 -6 ${kind.flagThat("delete")} --prune --mirror -d,--delete
      ${kind.optional} --signed ${kind.value} -o,--push-option --repo --recurse-submodules ${kind.script} --receive-pack,--exec
      ${kind.of("glued", { does: "delete" })} --force-with-lease ${kind.flagThat("delete")} -f,--force ${kind.flag} -u,--set-upstream`,
    more: push,
  },
  "ls-remote": {
    options: options`-b,-h,--heads,--branches -t,--tags --refs -q,--quiet --exit-code --get-url --symref ${kind.script}
      --upload-pack,--exec ${kind.value} --sort -o,--server-option`,
    more: connect,
  },
  clone: {
    options: options`-l,--local --no-hardlinks -s,--shared --dissociate -q -v --progress -n,--no-checkout --bare --sparse
      --also-filter-submodules --mirror --single-branch --no-single-branch --tags --no-tags ${kind.read} --reference --reference-if-able
      ${kind.value} --server-option --filter -o,--origin -b,--branch --revision -c,--config --depth --shallow-since --shallow-exclude
      --ref-format -j,--jobs ${kind.flag} --reject-shallow --shallow-submodules --remote-submodules ${kind.script} -u,--upload-pack
      ${kind.load} --template ${kind.optional} --recurse-submodules ${kind.flag} --recursive ${kind.write} --separate-git-dir
      ${kind.takes("url")} --bundle-uri`,
    more: clone,
  },
};
