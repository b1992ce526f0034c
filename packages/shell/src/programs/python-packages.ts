import { runArgv } from "./apply.ts";
import { file, hazard, runScript, unknown, type Out } from "./out.ts";
import { names, runTool } from "./package-tools.ts";
import type { Spec } from "./spec.ts";
import { usedOf, uses, type Use } from "./use.ts";
import { command, known } from "./words.ts";

const PIP_OPTIONS = `--python=exec!r -r,--requirement=read -c,--constraint=read -e,--editable=read -t,--target=write!w --prefix=write!w --root=write!w --src=write!w -i,--index-url,--pypi-url=url!c
  --extra-index-url=url!c -f,--find-links=!c --trusted-host=!c --proxy=url!c --cert=read --client-cert=read --cache-dir=write!w --log=write!w --report=write!w -d,--dest=write!w -w,--wheel-dir=write!w
  --global-option= --config-settings= --build-option= --user --upgrade -U --no-deps --no-cache-dir --pre --platform= --python-version= --implementation= --abi= --only-binary= --no-binary= -q -v -y --yes
  --dry-run --ignore-installed -I --force-reinstall --break-system-packages --isolated --no-input --exists-action= --retries= --timeout= -h,--help -V,--version -l -o -u --format= --not-required --files -A`;

/** pip. */
export const PIP: Spec = {
  options: PIP_OPTIONS,
  inert: "version help",
  subs: {
    ...names("install download wheel index search lock", { options: PIP_OPTIONS, network: true, operands: "read*" } as Spec),
    ...names("list freeze show check inspect debug hash help completion", { options: PIP_OPTIONS } as Spec),
    uninstall: { options: PIP_OPTIONS },
    cache: {},
    config: {
      options: "--editor=prog!r --global --user --site",
      more: (use, out) => {
        const [first] = use.operands;
        if (first !== undefined && !/^(list|get|debug)$/.test(first.word.text ?? "")) hazard(out, first.at, "configure");
      },
    },
  },
};

/** Runs a program of a package. */
export const RUN_TOOL: Spec = {
  posix: true,
  options: "--with= --from= -p,--python= -q --index-url=url!c --refresh --isolated --spec= --no-cache --env-file=load!l -m=!r",
  more: runTool,
};

function uvRun(use: Use, out: Out): void {
  const [first] = use.operands;
  if (uses(use, "module")) {
    const module = usedOf(use, "module")[0];
    if (module?.value !== undefined)
      runScript(out, module.at, command([known("python"), known("-m"), module.value, ...use.operands.map(({ word }) => word)]));
    return;
  }
  if (first === undefined) return;
  if (first.word.text === "-") unknown(out, "inline_code", "code in the input of `uv run`");
  else if (/\.pyw?$/.test(first.word.text ?? "")) file(out, "execute", first.word);
  else runArgv(out, first.at);
}

/** uv. */
export const UV: Spec = {
  options:
    "-q -v --project=dir!l --directory=dir!l --config-file=load!l --no-config --cache-dir=write!w --offline --python= --native-tls -h,--help -V,--version",
  inert: "version help",
  subs: {
    run: {
      options:
        "--with= --with-editable= --with-requirements=read -p,--python= --extra= --group= --package= --env-file=load!l -m,--module= --project=dir!l --directory=dir!l --isolated --frozen --locked --no-sync --no-project -s,--script --all-extras --index-url=url!c",
      posix: true,
      more: uvRun,
    },
    tool: { subs: { run: RUN_TOOL, install: { network: true, does: "write" }, list: {}, upgrade: { network: true }, uninstall: {} } },
    x: RUN_TOOL,
    pip: PIP,
    ...names("add sync lock python", { network: true } as Spec),
    ...names("remove tree export venv init build cache version self", {} as Spec),
    publish: { network: true },
  },
};

const WRAP_RUN = (options = ""): Spec => ({ options, posix: true, wrap: 0 });
/** Poetry and its like. */
export const POETRY: Spec = {
  options: "-q -v -n -C,--directory=dir!l -P,--project=dir!l --no-plugins --no-cache -h,--help -V,--version",
  inert: "version help",
  subs: {
    run: WRAP_RUN("-e= --env="),
    exec: WRAP_RUN(),
    shell: { does: "run" },
    ...names("install add update lock publish search self source sync", { network: true } as Spec),
    ...names("remove show build check export env cache version init new about list config", {} as Spec),
  },
};
