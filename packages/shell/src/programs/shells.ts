import type { Word } from "../analysis.ts";
import { file, hazard, inputScript, runScript, unknown, type Findings } from "./findings.ts";
import type { Spec } from "./program-spec.ts";
import { known, mayBeOption } from "./word-text.ts";

interface Flags {
  command: boolean;
  input: boolean;
  check: boolean;
}

const VALUED = new Set(["--rcfile", "--init-file", "--emulate", "--init-command"]);
const FILES = new Set(["--rcfile", "--init-file"]);

/** Reads a shell: `-c` in any spelling, a script file or standard input. */
function readShell(out: Findings, from: number): void {
  const { argv } = out;
  const flags: Flags = { command: false, input: false, check: false };
  let at = from;
  for (; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) break;
    const { text } = word;
    if (text === undefined) {
      if (!mayBeOption(word)) break;
      hazard(out, at, "run");
      if (flags.command) out.runs.push({ kind: "script", script: word });
      unknown(out, "dynamic_script", "a shell option or script known only at run time");
      out.carries = true;
      return;
    }
    if (text === "--" || text === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text.startsWith("--")) {
      if (/^--(version|help)$/.test(text)) return;
      at = readLong(out, at, text);
      if (text.startsWith("--command")) return;
    } else {
      at = readLetters(out, at, text, flags);
    }
  }
  readRest(out, at, flags);
}

function readLong(out: Findings, at: number, text: string): number {
  const value = out.argv[at + 1];
  if (FILES.has(text) && value !== undefined) {
    hazard(out, at, "load");
    file(out, "execute", value);
    unknown(out, "dynamic_script", "a shell start-up file");
  }
  if (text.startsWith("--command=")) runScript(out, at, known(text.slice(10)));
  else if (text === "--command" && value !== undefined) runScript(out, at + 1, value);
  else if (text.startsWith("--init-command") || text.startsWith("--startup"))
    unknown(out, "dynamic_script", "a shell start-up script");
  return VALUED.has(text) ? at + 1 : at;
}

function readLetters(out: Findings, at: number, text: string, flags: Flags): number {
  let last = at;
  for (const letter of text.slice(1)) {
    if (letter === "c") flags.command = true;
    else if (letter === "s") flags.input = true;
    else if (letter === "n") flags.check = text.startsWith("-");
    else if (letter === "C" && out.argv[0]?.text?.endsWith("fish") === true)
      unknown(out, "dynamic_script", "a shell start-up script");
    else if (letter === "o" || letter === "O") {
      const next = out.argv[last + 1];
      if (next !== undefined && !/^[-+]/.test(next.text ?? "")) last++;
    }
  }
  return last;
}

function readRest(out: Findings, at: number, flags: Flags): void {
  const word = out.argv[at];
  if (flags.command) {
    if (word === undefined) return;
    runScript(out, at, word);
    if (out.argv.length > at + 2) out.carries = true;
    return;
  }
  if (word !== undefined && !flags.input) {
    file(out, "read", word);
    if (flags.check) return;
    file(out, "execute", word);
    hazard(out, at, "load");
    unknown(out, "dynamic_script", `script in the file \`${nameOf(word)}\``);
    return;
  }
  const script = inputScript(out);
  if (script !== undefined) out.runs.push({ kind: "script", script });
  if (script?.text === undefined && !flags.check)
    unknown(out, "dynamic_script", "a shell script on standard input");
}

function nameOf(word: Word): string {
  return word.text ?? "?";
}

/** Reads a shell with another language. Its script is unknown, but is also read as if it were bash. */
function readForeign(out: Findings, from: number): void {
  readShell(out, from);
  for (const run of out.runs)
    if (run.kind === "script")
      unknown(out, "inline_code", "a script for a shell with a different language");
}

function readPowershell(out: Findings, from: number): void {
  const { argv } = out;
  out.carries = true;
  const at = argv.findIndex(
    (word, index) =>
      index >= from && word.text?.startsWith("-") !== true && word.text?.startsWith("/") !== true,
  );
  if (/^-(v|version|h|help|\?)$/i.test(argv[from]?.text ?? "")) return;
  unknown(out, "inline_code", `script of \`${argv[0]?.text ?? "?"}\``);
  hazard(out, at < 0 ? 0 : at, "run");
}

const SHELL: Spec = { read: readShell };
const FOREIGN: Spec = { read: readForeign };
const POWERSHELL: Spec = { read: readPowershell };

export const SHELLS: Readonly<Record<string, Spec>> = {
  sh: SHELL,
  bash: SHELL,
  rbash: SHELL,
  dash: SHELL,
  ash: SHELL,
  ksh: SHELL,
  ksh93: SHELL,
  mksh: SHELL,
  lksh: SHELL,
  oksh: SHELL,
  pdksh: SHELL,
  yash: SHELL,
  zsh: SHELL,
  rzsh: SHELL,
  posh: SHELL,
  osh: SHELL,
  fish: FOREIGN,
  csh: FOREIGN,
  tcsh: FOREIGN,
  elvish: FOREIGN,
  nu: FOREIGN,
  xonsh: FOREIGN,
  ion: FOREIGN,
  rc: FOREIGN,
  es: FOREIGN,
  ysh: FOREIGN,
  murex: FOREIGN,
  pwsh: POWERSHELL,
  powershell: POWERSHELL,
  "powershell.exe": POWERSHELL,
  "pwsh.exe": POWERSHELL,
  cmd: POWERSHELL,
  "cmd.exe": POWERSHELL,
};
