import { argumentFiles } from "./checkers.ts";
import { writesNamed } from "./compiler-output.ts";
import { file, hazard, isInput, type Findings } from "./findings.ts";
import { kind, many, options } from "./option-groups.ts";
import { hasOption, optionsNamed } from "./parsed-args.ts";
import type { ParsedArgs, Spec } from "./program-spec.ts";
import { recordArgumentsOfScript, runInput } from "./script-file.ts";
import { after, known, prefix } from "./word-text.ts";

// `--emit=link=path` and `--print=cfg=path` write files, and a target may be a file that names a linker.
function rustc(use: ParsedArgs, out: Findings): void {
  argumentFiles(use, out);
  targetFile(use, out);
  if (use.operands.some(({ word }) => isInput(word))) runInput(out);
  const named = optionsNamed(use, "crate-name")[0]?.value ?? use.operands[0]?.word;
  if (!hasOption(use, "o out-dir")) writesNamed(named, /\.[^.]*$/, out);
  for (const { option, at, value } of use.options) {
    const start = value === undefined ? "" : prefix(value);
    const path = after(value ?? known(""), start.indexOf("=") + 1);
    if (/^(?:emit|print)$/.test(option.name)) {
      for (const [, text = ""] of start.matchAll(/=([^,]*)/g)) file(out, "write", known(text));
      if (start.includes("=") || value?.text === undefined) hazard(out, at, "write");
    } else if (option.name === "extern" && start.includes("=")) {
      hazard(out, at, "load");
      file(out, "execute", path);
    } else if (option.name === "L") file(out, "read", path);
  }
}

function targetFile(use: ParsedArgs, out: Findings): void {
  for (const { at, value } of optionsNamed(use, "target"))
    if (!/^[\w-]+$/.test(value?.text ?? "/")) hazard(out, at, "load");
}

const CARGO_OPTIONS = options`--all-features --no-default-features --lib --doc --all-targets --workspace --all -r,--release -q -v --locked
  --offline --no-run --no-fail-fast --allow-dirty --check --force -f --open -h,--help -V,--version --list
  ${kind.takes("load", "configure")} --config ${kind.load} --manifest-path ${kind.write} --target-dir --root --out-dir --artifact-dir
  ${kind.takes("dir", "load")} -C ${kind.value} -Z -p,--package --exclude -j,--jobs --profile -F,--features --target --message-format
  --bin --example --test --bench --depth --edges -e --invert --format --color --branch --rev --tag --registry ${kind.flag} --bins --examples --tests --benches --frozen --no-deps --document-private-items --keep-going --all --ignore-rust-version
  ${kind.flagThat("write")} --fix ${kind.write} --lockfile-path ${kind.read} --path ${kind.takes("url")} --git ${kind.takes("url", "configure")} --index`;
// Words after `--` belong to the program, the compiler or the linter.
const CARGO_RUN: Spec = {
  options: CARGO_OPTIONS,
  more: (use, out) => {
    targetFile(use, out);
    const end = out.argv.findIndex(({ text }) => text === "--");
    // `cargo fmt -- x.rs` formats that file.
    if (end > 0) recordArgumentsOfScript(out, end + 1);
  },
};
const CARGO_SPEC: Spec = {
  options: CARGO_OPTIONS,
  inert: "version help list",
  extensible: true,
  subs: {
    ...Object.fromEntries(
      "build b check c test t bench run r clippy fmt clean doc d metadata pkgid verify-project locate-project new init version help fix rustc rustdoc remove rm report"
        .split(" ")
        .map((name) => [name, CARGO_RUN]),
    ),
    ...Object.fromEntries(
      "install add update fetch publish search login logout owner yank vendor package generate-lockfile info outdated"
        .split(" ")
        .map((name) => [name, { options: CARGO_OPTIONS, network: true }]),
    ),
    nextest: {
      ...CARGO_RUN,
      options: options`${CARGO_OPTIONS} ${kind.value} -E --filter-expr --filterset --retries`,
    },
    tree: {
      ...CARGO_RUN,
      options: options`${CARGO_OPTIONS} -d,--duplicates --no-dedupe ${kind.value} --prefix --prune -i`,
    },
    uninstall: CARGO_RUN,
    audit: {
      options: options`-q,--quiet --json --deny-warnings -n,--no-fetch --stale ${kind.value} --ignore -D,--deny --color --target-arch
        --target-os ${kind.read} -f,--file`,
      network: true,
      more: (use, out) => use.operands.forEach(({ at }) => hazard(out, at, "write")),
    },
  },
};

const RUSTUP_PART: Spec = {
  subs: { list: { options: options`-v,--verbose -q,--quiet --installed` }, "*": { network: true } },
};

export const RUST_TOOLS: Readonly<Record<string, Spec>> = {
  rustc: {
    options: options`-O -g --version -V ${kind.write} -o --out-dir ${kind.valueThat("configure")} -C --codegen -Z ${kind.value} --emit
      --crate-type --crate-name --edition -L -l --extern --cfg --target --print --explain ${kind.load} --sysroot ${kind.flag} --test`,
    operands: [many("read")],
    more: rustc,
  },
  cargo: CARGO_SPEC,
  rustup: {
    subs: {
      run: { wrap: 1 },
      ...Object.fromEntries(
        "update install self".split(" ").map((name) => [name, { network: true }]),
      ),
      ...Object.fromEntries(
        "toolchain target component".split(" ").map((name) => [name, RUSTUP_PART]),
      ),
      show: {},
      default: { does: "configure" },
      override: { does: "configure" },
      which: {},
      doc: {},
    },
  },
};
