import { GIT_SUBS } from "./git-commands.ts";
import { settings } from "./git-handlers.ts";
import type { Spec } from "./program-spec.ts";
import { kind, many, options } from "./option-groups.ts";

const GIT_SPEC: Spec = {
  options: options`-v,--version -h,--help --html-path --man-path --info-path -p,--paginate -P,--no-pager --no-replace-objects
    --no-lazy-fetch --no-optional-locks --no-advice --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
    ${kind.takes("dir", "load")} -C --work-tree ${kind.value} -c --namespace --list-cmds --attr-source --super-prefix
    ${kind.of("glued", { role: "load", does: "load" })} --exec-path ${kind.load} --git-dir ${kind.valueThat("configure")} --config-env`,
  inert: "version help html-path man-path info-path",
  vcs: true,
  extensible: true,
  subs: GIT_SUBS,
  more: settings,
};

const HG: Spec = {
  options: options`-y -q -v --debug --debugger --traceback --time --profile --version -h,--help --hidden ${kind.takes("dir", "load")}
    -R,--repository --cwd ${kind.takes("code", "configure")} --config ${kind.value} --encoding --color --pager`,
  inert: "version help",
  vcs: true,
  fullName: "beginning",
  subs: {
    clone: { network: true },
    pull: { network: true },
    push: { network: true },
    incoming: { network: true },
    outgoing: { network: true },
    bisect: { options: options`${kind.script} -c,--command` },
    "*": { operands: [many("read")] },
  },
};

const SVN: Spec = {
  options: options`--version --non-interactive -q ${kind.value} --username --password -r,--revision ${kind.load} --config-dir
    ${kind.takes("code", "configure")} --config-option ${kind.script} --diff-cmd --diff3-cmd --editor-cmd`,
  inert: "version",
  vcs: true,
  subs: {
    "*": {
      options: options`${kind.script} --diff-cmd --diff3-cmd --editor-cmd ${kind.load} --config-dir ${kind.takes("code", "configure")}
        --config-option ${kind.value} -r -m --username --password -x ${kind.read} -F`,
      operands: [many("read")],
      network: true,
    },
  },
};

/** Whether git has a subcommand of this name, which also exists as a separate program, such as `git-push`. */
export function isGitCommand(name: string): boolean {
  return Object.hasOwn(GIT_SUBS, name);
}

export const GIT: Readonly<Record<string, Spec>> = {
  git: GIT_SPEC,
  hub: GIT_SPEC,
  hg: HG,
  svn: SVN,
  gitk: { does: "run" },
  tig: {},
  lazygit: {},
};
