import type { PathText, Word } from "../analysis.ts";
import { hostOf } from "./hosts.ts";
import { file, hazard, inlineCode, isInput, network, unknown, type Findings } from "./findings.ts";
import { noteAnyFiles } from "./any-files.ts";
import { mayBeOption, prefix } from "./word-text.ts";

const ADDRESS = /^(?!file:)([a-z][a-z0-9+.-]+):/i;

/** Records that an interpreter reads its code from standard input. */
export function runInput(out: Findings): void {
  const name = out.argv[0]?.text ?? "?";
  unknown(
    out,
    "inline_code",
    out.input.kind === "text"
      ? `code in the input of \`${name}\``
      : `input of \`${name}\`, which runs as code`,
  );
}

/** Records the script file of an interpreter. Later words belong to the script. */
export function runFile(out: Findings, at: number, word: Word): void {
  recordArgumentsOfScript(out, at + 1);
  const name = out.argv[0]?.text ?? "?";
  const start = prefix(word);
  const scheme = ADDRESS.exec(start)?.[1]?.toLowerCase();
  if (isInput(word)) runInput(out);
  else if (word.text === undefined && (out.depth > 0 || mayBeOption(word))) {
    inlineCode(out, at, `script or option of \`${name}\` known only at run time`);
  } else if (scheme !== undefined) {
    if (scheme !== "data" && scheme !== "node")
      network(out, scheme.startsWith("http") ? hostOf(word) : undefined);
    if (/^(?:npm|jsr|node)$/.test(scheme)) hazard(out, at, "load");
    else inlineCode(out, at, `code for \`${name}\` instead of a file`);
  } else {
    file(out, "read", word);
    file(out, "execute", word);
    if (isOwnScript(word)) out.scriptFrom = at + 1;
  }
}

/**
 * Whether a script may be one of the project, and not of an installed package or of the machine. A bare name may be a task, as in
 * `swift build`.
 */
export const isOwnScript = ({ text }: Word): boolean =>
  text !== undefined &&
  /[./]|^artisan$/.test(text) &&
  /^(?:\/tmp\/|(?![/~]))/.test(text) &&
  !/(?:^|\/)(?:\.\.|node_modules|site-packages|\.?venv|env|vendor)\//.test(text);

/**
 * Records that words from a position on belong to a script or task, which may run them, and may read and write the files that they
 * name.
 */
export function recordArgumentsOfScript(out: Findings, from: number): void {
  if (from >= out.argv.length) return;
  out.carriesFrom ??= from;
  noteAnyFiles(out, from);
}

const OF_TASK: PathText = { why: "a path with `..`, relative to the folder of a script" };

/** Records the arguments of a script that runs in the folder of its settings. */
export function recordArgumentsOfTask(out: Findings, from: number): void {
  recordArgumentsOfScript(out, from);
  noteUpwardPaths(out, from);
}

/** Records words that contain `..`, for a runner that changes to a folder which may be above the working directory. */
export function noteUpwardPaths(out: Findings, from: number): void {
  if (out.argv.slice(from).some((word) => /(?:^|[=/])\.\.(?:\/|$)/.test(prefix(word))))
    out.effects.push({ kind: "write", path: OF_TASK });
}
