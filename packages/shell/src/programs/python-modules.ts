import type { Word } from "../analysis.ts";
import { file, type Findings } from "./findings.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { baseName, known, mayBeOption } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

/** A module run by `python -m`. */
export interface PythonModule {
  /** Undefined if unknown. */
  readonly name: string | undefined;
  /** Position in argv. */
  readonly at: number;
}

/** The module of `python -m`. Words after it belong to the module. */
export function pythonModule(argv: readonly Word[], from: number): PythonModule | undefined {
  const at = argv.findIndex((word, index) => index >= from && !isPythonFlag(word.text));
  const glued = /^-[bBdEhiIOPqRsSuvVx]*m(.*)$/s.exec(argv[at]?.text ?? "")?.[1];
  if (glued === undefined) return undefined;
  return glued === "" ? { name: argv[at + 1]?.text, at: at + 1 } : { name: glued, at };
}

function isPythonFlag(text: string | undefined): boolean {
  if (text === undefined) return false;
  return /^-[bBdEhiIOPqRsSuvVx?]+$/.test(text) || /^-[WXQ]./.test(text);
}

const ARCHIVES: ReadonlySet<string | undefined> = new Set(["tarfile", "zipfile"]);
const ARCHIVE: Spec = {
  options: options`-v,--verbose -h,--help ${kind.value} -l,--list -e,--extract -c,--create -t,--test --filter --metadata-encoding`,
};
const MODES = "list extract create test help";

const useOf = (argv: readonly Word[], { at }: PythonModule): ParsedArgs =>
  parseArgs(ARCHIVE, argv, at + 1, { posix: false });

const isOpen = (use: ParsedArgs): boolean =>
  use.unknownOptions.length > 0 ||
  !hasOption(use, MODES) ||
  use.operands.some(({ word }) => mayBeOption(word));

/** Records what a Python archive module does. Returns whether it is one. */
export function readPythonArchive(out: Findings, module: PythonModule): boolean {
  if (!ARCHIVES.has(module.name)) return false;
  const use = useOf(out.argv, module);
  const { operands } = use;
  for (const used of [
    ...optionsNamed(use, "list"),
    ...optionsNamed(use, "test"),
    ...optionsNamed(use, "extract"),
  ])
    file(out, "read", valueOf(used));
  for (const used of optionsNamed(use, "create")) file(out, "write", valueOf(used));
  const open = isOpen(use);
  if (open || hasOption(use, "extract")) {
    for (const { word } of operands) file(out, "write", word, { below: true });
    if (open || operands.length === 0) file(out, "write", known("."), { below: true });
  }
  if (open || hasOption(use, "create"))
    for (const { word } of operands) file(out, "read", word, { below: true });
  return true;
}

/** Whether a Python module unpacks an archive. */
export function isPythonUnpacking(argv: readonly Word[]): boolean {
  if (!/^(?:python|pypy|jython)w?[\d.]*$/.test(baseName(argv[0]?.text ?? ""))) return false;
  const module = pythonModule(argv, 1);
  if (module === undefined || !ARCHIVES.has(module.name)) return false;
  const use = useOf(argv, module);
  return isOpen(use) || hasOption(use, "extract");
}
