import type { Word } from "../analysis.ts";
import { file, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf, valueOf, type Use } from "./use.ts";
import { baseName, known, mayBeOption } from "./words.ts";

/** What `python -m` runs. */
export interface PythonModule {
  /** Undefined where it is not known. */
  readonly name: string | undefined;
  /** Where it stands in argv. */
  readonly at: number;
}

/** The module that Python is told to run: before `-m` stand options, behind it all is for the module. */
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
const ARCHIVE: Spec = { options: "-l,--list= -e,--extract= -c,--create= -t,--test= -v,--verbose --filter= --metadata-encoding= -h,--help" };
const MODES = "list extract create test help";

const useOf = (argv: readonly Word[], { at }: PythonModule): Use => readUse(ARCHIVE, argv, at + 1, { posix: false });

const isOpen = (use: Use): boolean => use.strange.length > 0 || !uses(use, MODES) || use.operands.some(({ word }) => mayBeOption(word));

/** Notes what a module of Python for archives does; whether it is one. */
export function readPythonArchive(out: Out, module: PythonModule): boolean {
  if (!ARCHIVES.has(module.name)) return false;
  const use = useOf(out.argv, module);
  const { operands } = use;
  for (const used of [...usedOf(use, "list"), ...usedOf(use, "test"), ...usedOf(use, "extract")]) file(out, "read", valueOf(used));
  for (const used of usedOf(use, "create")) file(out, "write", valueOf(used));
  const open = isOpen(use);
  if (open || uses(use, "extract")) {
    for (const { word } of operands) file(out, "write", word, { below: true });
    if (open || operands.length === 0) file(out, "write", known("."), { below: true });
  }
  if (open || uses(use, "create")) for (const { word } of operands) file(out, "read", word, { below: true });
  return true;
}

/** Whether Python is told to unpack an archive. */
export function isPythonUnpacking(argv: readonly Word[]): boolean {
  if (!/^(?:python|pypy|jython)w?[\d.]*$/.test(baseName(argv[0]?.text ?? ""))) return false;
  const module = pythonModule(argv, 1);
  if (module === undefined || !ARCHIVES.has(module.name)) return false;
  const use = useOf(argv, module);
  return isOpen(use) || uses(use, "extract");
}
