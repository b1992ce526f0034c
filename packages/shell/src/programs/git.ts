import { GIT_SUBS } from "./git-commands.ts";
import { settings } from "./git-handlers.ts";
import type { Spec } from "./spec.ts";

const GIT_SPEC: Spec = {
  options: `-v,--version -h,--help -C=dir!l -c= --exec-path?load!l --html-path --man-path --info-path -p,--paginate -P,--no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare
    --git-dir=load!l --work-tree=dir!l --namespace= --config-env=!c --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --list-cmds= --attr-source= --super-prefix=`,
  inert: "version help html-path man-path info-path",
  vcs: true,
  extensible: true,
  subs: GIT_SUBS,
  more: settings,
};

const HG: Spec = {
  options:
    "-R,--repository=dir!l --cwd=dir!l -y -q -v --config=code!c --debug --debugger --encoding= --traceback --time --profile --version -h,--help --hidden --color= --pager=",
  inert: "version help",
  vcs: true,
  whole: "beginning",
  subs: {
    clone: { network: true },
    pull: { network: true },
    push: { network: true },
    incoming: { network: true },
    outgoing: { network: true },
    bisect: { options: "-c,--command=script!r" },
    "*": { operands: "read*" },
  },
};

const SVN: Spec = {
  options:
    "--username= --password= --config-dir=load!l --config-option=code!c --diff-cmd=prog!r --diff3-cmd=prog!r --editor-cmd=prog!r --version --non-interactive -q -r,--revision=",
  inert: "version",
  vcs: true,
  subs: {
    "*": {
      options:
        "--diff-cmd=prog!r --diff3-cmd=prog!r --editor-cmd=prog!r --config-dir=load!l --config-option=code!c -r= -m= -F=read --username= --password= -x=",
      operands: "read*",
      network: true,
    },
  },
};

/** Whether git has a subcommand of this name, which is a program of its own, too: `git-push`. */
export function isGitCommand(name: string): boolean {
  return Object.hasOwn(GIT_SUBS, name);
}

/** Version control. */
export const GIT: Readonly<Record<string, Spec>> = {
  git: GIT_SPEC,
  hub: GIT_SPEC,
  hg: HG,
  svn: SVN,
  gitk: { does: "run" },
  tig: {},
  lazygit: {},
};
