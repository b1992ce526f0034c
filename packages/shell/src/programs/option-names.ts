import { hazard, type Findings } from "./findings.ts";
import { harmlessOptions } from "./harmless-options.ts";
import { baseName, prefix } from "./word-text.ts";
import type { Hazard } from "../analysis.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

// Words in option names, and the hazard that each suggests in any program.
const NAME_WORDS: readonly (readonly [Hazard["does"], ReadonlySet<string>])[] = [
  [
    "run",
    words("exec execute eval shell command cmd hook hooks pager editor rsh runner run script"),
  ],
  [
    "load",
    words(
      `plugin plugins rulesdir rules config conf configfile cfg load loader require import include preload rcfile settings preset resolver transform reporter
      reporters extension extensions setup library classpath`,
    ),
  ],
  [
    "delete",
    words("delete remove purge force overwrite destroy prune wipe clean drop truncate flush"),
  ],
  ["send", words("upload publish push send post webhook pastebin deploy prod production live")],
  [
    "write",
    words(
      `output out outfile outdir outputfile write fix save dump logfile junitxml basetemp inplace update generate export record snapshot rewrite install
      apply`,
    ),
  ],
  ["configure", words("endpoint proxy registry override")],
];
// Options about output, or that keep a program from doing something.
const HARMLESS =
  /^(?:no-|without-|disable-|dry-run$|force-colou?r$|force-exclude$|output-format$|fix-dry-run$)/;

const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 64;
const knownOptions = new Map<string, Hazard["does"] | undefined>();

/** The hazard that an option of an unknown program has, by the words in its name. */
export function hazardOfOption(word: string): Hazard["does"] | undefined {
  if (!word.startsWith("-") || word.length < 2 || word === "--") return undefined;
  if (word.length > MAX_KNOWN_LENGTH) return hazardOfName(word);
  // Cached, because most lines repeat a few options and splitting a name is slow.
  let does = knownOptions.get(word);
  if (does === undefined && !knownOptions.has(word)) {
    if (knownOptions.size >= MAX_KNOWN) knownOptions.clear();
    knownOptions.set(word, (does = hazardOfName(word)));
  }
  return does;
}

function hazardOfName(word: string): Hazard["does"] | undefined {
  if (/^-o(?:$|[^a-z]|.*[/.=])/.test(word)) return "write";
  const name = /^--?([A-Za-z][\w.-]{1,63})/.exec(word)?.[1];
  if (name === undefined) return undefined;
  const parts = name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  if (HARMLESS.test(parts)) return undefined;
  for (const part of parts.split(/[-_.]+/))
    for (const [does, nameWords] of NAME_WORDS) if (nameWords.has(part)) return does;
  return undefined;
}

/** Names of options that run something in any program. */
export const RUNS_ANYWHERE =
  /^--?(?:exec|eval|shell|to-command|rsh|use-compress-program|compress-program|pager|editor|preload|hook)/;

/**
 * Records the hazards of options of a program without a table, from a position on. Every option that is not known to be harmless
 * is a hazard.
 */
export function noteOptionNames(out: Findings, from: number): void {
  const name = baseName(out.argv[0]?.text ?? "");
  const listed = harmlessOptions(name);
  for (let at = from; at < out.argv.length; at++) {
    const word = out.argv[at];
    const start = word === undefined ? "" : prefix(word);
    if (SLASHED.test(name) && /^(?:@|\/[A-Za-z]{1,32}(?::|$))/.test(start))
      hazard(out, at, "unknown");
    if (!start.startsWith("-") || start === "-" || start === "--") continue;
    if (listed?.has(start) === true || listed?.has(start.split("=", 1)[0] ?? "") === true) {
      if (name === "flask") noteCall(out, start.includes("=") ? at : at + 1);
      continue;
    }
    const does = RUNS_ANYWHERE.test(start) ? "run" : hazardOfOption(start);
    // The files that its arguments name are known, and what it loads and writes is up to the script, as without options.
    const isOwn = out.scriptFrom !== undefined && at >= out.scriptFrom;
    if (isOwn && (does === undefined || does === "load" || does === "write")) continue;
    if (does !== undefined) hazard(out, at, does);
    else if (!UNIVERSAL.test(start)) hazard(out, at, "unknown");
  }
}

// `--app 'os:system("ls")'` calls any function.
function noteCall(out: Findings, at: number): void {
  if (out.argv[at]?.text?.includes("(") !== false) hazard(out, at, "run");
}

// Programs whose options may begin with a slash, or be in a file: `@file`.
const SLASHED = /^(?:dotnet|msbuild|csc|vbc|cl|link|devenv|xcopy|robocopy)(?:\.exe)?$/i;

/** Options that mean the same in every program. */
export const UNIVERSAL =
  /^--(?:help|version|verbose|quiet|silent|json|dry-run|no-colou?r|colou?r(?:=\w+)?)$/;

const INSTALLED: ReadonlySet<string> = new Set([
  "",
  ..."/bin/ /sbin/ /usr/bin/ /usr/sbin/ /usr/local/bin/ /usr/local/sbin/ /usr/games/ /usr/libexec/ /snap/bin/ /opt/homebrew/bin/".split(
    " ",
  ),
  ..."/opt/homebrew/sbin/ /opt/local/bin/ /opt/local/sbin/ /home/linuxbrew/.linuxbrew/bin/ /run/current-system/sw/bin/".split(
    " ",
  ),
]);

/** Whether a program is called by its bare name, or by its path in a system directory. */
export function isInstalled(name: string): boolean {
  return INSTALLED.has(name.slice(0, name.lastIndexOf("/") + 1));
}
