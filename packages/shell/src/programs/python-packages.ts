import { noteUnclearStart, runArgv } from "./apply-spec.ts";
import { noteOptionNames } from "./option-names.ts";
import { file, hazard, runScript, unknown, type Findings } from "./findings.ts";
import { names, runTool } from "./package-tools.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { recordArgumentsOfTask } from "./script-file.ts";
import { command, known } from "./word-text.ts";
import { type OptionGroup, kind, many, options } from "./option-groups.ts";

const PIP_OPTIONS = options`--user --upgrade -U --no-deps --no-cache-dir --pre -q -v -y --yes --dry-run --ignore-installed -I
  --force-reinstall --isolated --no-input -h,--help -V,--version -l -o -u --not-required --files -A ${kind.takes("exec", "run")} --python
  ${kind.read} -r,--requirement -c,--constraint -e,--editable --cert --client-cert ${kind.write} -t,--target --prefix --root --src
  --cache-dir --log --report -d,--dest -w,--wheel-dir ${kind.takes("url", "configure")} -i,--index-url,--pypi-url --extra-index-url
  --proxy ${kind.valueThat("configure")} -f,--find-links --trusted-host ${kind.value} --global-option --config-settings --build-option
  --platform --python-version --implementation --abi --only-binary --no-binary --exists-action --retries --timeout --format ${kind.flag}
  --break-system-packages`;

export const PIP: Spec = {
  options: PIP_OPTIONS,
  inert: "version help",
  subs: {
    ...names("install download wheel index search lock", {
      options: PIP_OPTIONS,
      network: true,
      operands: [many("read")],
    } as Spec),
    ...names("list freeze show check inspect debug hash help completion", {
      options: PIP_OPTIONS,
    } as Spec),
    uninstall: { options: PIP_OPTIONS },
    cache: {},
    config: {
      options: options`--global --user --site ${kind.script} --editor`,
      more: (use, out) => {
        const [first] = use.operands;
        if (first !== undefined && !/^(list|get|debug)$/.test(first.word.text ?? ""))
          hazard(out, first.at, "configure");
      },
    },
  },
};

/** Runs a program from a package. */
export const RUN_TOOL: Spec = {
  posix: true,
  options: options`-q --refresh --isolated --no-cache ${kind.value} --with --from -p,--python --spec ${kind.takes("url", "configure")}
    --index-url ${kind.load} --env-file ${kind.valueThat("run")} -m`,
  more: runTool,
};

function uvRun(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (hasOption(use, "module")) {
    const module = optionsNamed(use, "module")[0];
    if (module?.value !== undefined)
      runScript(
        out,
        module.at,
        command([
          known("python"),
          known("-m"),
          module.value,
          ...use.operands.map(({ word }) => word),
        ]),
      );
    return;
  }
  if (first === undefined) return;
  if (first.word.text === "-") unknown(out, "inline_code", "code in the input of `uv run`");
  else if (/\.pyw?$/.test(first.word.text ?? "")) file(out, "execute", first.word);
  else runArgv(out, first.at);
}

// An interpreter is given by its version or by its path.
function pythons(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "python"))
    if (!/^[\w.+@<>=~-]+$/.test(valueOf(used).text ?? "/")) hazard(out, used.at, "run");
}

export const UV: Spec = {
  options: options`-q -v --no-config --offline --native-tls -h,--help -V,--version ${kind.takes("dir", "load")} --project --directory
    ${kind.load} --config-file ${kind.write} --cache-dir ${kind.value} --python`,
  more: pythons,
  inert: "version help",
  subs: {
    run: {
      options: options`--isolated --frozen --locked --no-sync --no-project -s,--script --all-extras ${kind.value} --with --with-editable
        -p,--python --extra --group --package -m,--module ${kind.read} --with-requirements ${kind.load} --env-file
        ${kind.takes("dir", "load")} --project --directory ${kind.takes("url", "configure")} --index-url`,
      posix: true,
      more: (use, out) => {
        pythons(use, out);
        uvRun(use, out);
      },
    },
    tool: {
      subs: {
        run: RUN_TOOL,
        install: { network: true, does: "write" },
        list: {},
        upgrade: { network: true },
        uninstall: {},
      },
    },
    x: RUN_TOOL,
    pip: PIP,
    ...names("add sync lock python", { network: true } as Spec),
    ...names("remove tree export venv init build cache version self", {} as Spec),
    publish: { network: true },
  },
};

// A script of the project counts before a program. `test` is none of the shell's here.
function runWrapped(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first === undefined) return;
  if (first.word.text === "test") recordArgumentsOfTask(out, first.at + 1);
  else runArgv(out, first.at);
  noteUnclearStart(use, out);
}

const WRAP_RUN = (options: readonly OptionGroup[] = []): Spec => ({
  options,
  posix: true,
  more: runWrapped,
});
/** `tox exec` runs the words after `--` in one of its environments. */
export const TOX: Spec = {
  options: options`-q,--quiet -v,--verbose -l,--listenvs,--list --version -h,--help ${kind.value} -e ${kind.optional} -p,--parallel`,
  carries: true,
  more: (use, out) => {
    const [first, second] = use.operands;
    const end = out.argv.findIndex(({ text }) => text === "--");
    if (end > 0) noteOptionNames(out, end + 1);
    if (second !== undefined && /^(?:exec|e)$/.test(first?.word.text ?? "exec"))
      runArgv(out, second.at);
  },
};

export const POETRY: Spec = {
  options: options`-q -v -n --no-plugins --no-cache -h,--help -V,--version ${kind.takes("dir", "load")} -C,--directory -P,--project`,
  inert: "version help",
  subs: {
    run: WRAP_RUN(options`${kind.value} -e --env`),
    exec: WRAP_RUN(),
    shell: { does: "run" },
    ...names("install add update lock publish search self source sync", { network: true } as Spec),
    ...names(
      "remove show build check export env cache version init new about list config",
      {} as Spec,
    ),
  },
};
