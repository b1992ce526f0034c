import { writesNamed } from "./compiler-output.ts";
import { file, hazard, network, type Findings } from "./findings.ts";
import { GOFMT, goFmt, isGoPath } from "./in-place.ts";
import { kind, many, options } from "./option-groups.ts";
import { hasOption, optionsNamed } from "./parsed-args.ts";
import type { ParsedArgs, Spec } from "./program-spec.ts";
import { isOwnScript, recordArgumentsOfScript } from "./script-file.ts";
import { known, prefix } from "./word-text.ts";

// Flags for a linker or compiler can name programs. These only strip symbols, set a text or choose what is printed.
const PLAIN_FLAGS = /^(?:(?:all=)?(?:-[swNlmSv]|-X[ =][\w./-]+=[\w./:@+-]*|-race|-msan)(?: +|$))*$/;

// Packages are folders, or have the name of their host.
function goPackages(use: ParsedArgs, out: Findings, gets: boolean): void {
  for (const { word } of use.operands) {
    const start = prefix(word);
    const host = /^([\w-]+(?:\.[\w-]+)+)\//.exec(start)?.[1];
    if (isGoPath(word))
      file(
        out,
        "read",
        word.text === undefined ? word : known(word.text.replace(/\/?\.\.\.$/, "")),
      );
    else if (host !== undefined && (gets || start.includes("@"))) network(out, host);
  }
}

function goFlags(use: ParsedArgs, out: Findings): void {
  goPackages(use, out, hasOption(use, "m"));
  for (const name of ["ldflags", "gcflags", "asmflags", "gccgoflags"])
    for (const { at, value } of optionsNamed(use, name))
      if (!PLAIN_FLAGS.test(value?.text ?? "-")) hazard(out, at, "run");
}

// The program is named after the first package or source.
function goBuild(use: ParsedArgs, out: Findings): void {
  goFlags(use, out);
  if (!hasOption(use, "o")) writesNamed(use.operands[0]?.word, /\.go$/, out);
}

// `go run module@version` downloads code and runs it.
function goRun(use: ParsedArgs, out: Findings): void {
  goFlags(use, out);
  const [first] = use.operands;
  if (first !== undefined && /^\.|\.go$/.test(first.word.text ?? "") && isOwnScript(first.word))
    out.scriptFrom = first.at + 1;
  if (first === undefined) return;
  recordArgumentsOfScript(out, first.at + 1);
  if (!prefix(first.word).includes("@")) return;
  hazard(out, first.at, "load");
  network(out, undefined);
}

const GO = options`-race -v -x -n -a -benchmem -failfast -work -trimpath -cover -short -json -m -u -t -d -e -deps -test -find -i -r -c
  ${kind.takes("dir", "load")} -C ${kind.write} -o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir
  -pkgdir ${kind.of("required", { role: "data" })} -ldflags -gcflags -asmflags -gccgoflags ${kind.script} -exec -toolexec -vettool ${kind.load} -modfile -overlay ${kind.read} -pgo ${kind.value} -mod -tags -p -run -list -bench -count -timeout -parallel -cpu -vet -buildmode -buildvcs -compiler -skip -fuzz -fuzztime -f`;

const GO_SPEC: Spec = {
  options: options`${kind.takes("dir", "load")} -C`,
  subs: {
    run: { options: GO, posix: true, operands: ["exec", many("data")], more: goRun },
    build: { options: GO, more: goBuild },
    test: {
      options: options`${GO} -args`,
      more: (use, out) => {
        goFlags(use, out);
        if (hasOption(use, "c")) file(out, "write", known("."));
        optionsNamed(use, "args").forEach(({ at }) => recordArgumentsOfScript(out, at + 1));
      },
    },
    ...Object.fromEntries(
      "vet list doc fix version work help bug telemetry"
        .split(" ")
        .map((name) => [name, { options: GO, more: goFlags }]),
    ),
    ...Object.fromEntries(
      "get install".split(" ").map((name) => [name, { options: GO, network: true, more: goFlags }]),
    ),
    mod: { options: GO, more: (use, out) => goPackages(use, out, true) },
    fmt: { options: GO, more: goFmt },
    generate: { options: GO, does: "run", more: goFlags },
    // It deletes what was installed, outside of the module.
    clean: { options: options`${GO} ${kind.flagThat("delete")} -i`, more: goFlags },
    // `go tool cover` prints a line that it cannot read.
    tool: { options: options`${GO} ${kind.read} -func -html`, more: goFlags },
    env: { options: options`-json -changed ${kind.flagThat("configure")} -w -u` },
  },
};

export const GO_TOOLS: Readonly<Record<string, Spec>> = { go: GO_SPEC, gofmt: GOFMT };
