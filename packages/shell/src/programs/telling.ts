import { hazard, type Out } from "./out.ts";
import { prefix } from "./words.ts";
import type { Hazard } from "../analysis.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

// Words that names of options are made of, and what they say in whatever program.
const TELLING: readonly (readonly [Hazard["does"], ReadonlySet<string>])[] = [
  ["run", words("exec execute eval shell command cmd hook hooks pager editor rsh runner run script")],
  [
    "load",
    words(
      `plugin plugins rulesdir rules config conf configfile cfg load loader require import include preload rcfile settings preset resolver transform reporter
      reporters extension extensions setup library classpath`,
    ),
  ],
  ["delete", words("delete remove purge force overwrite destroy prune wipe clean")],
  ["send", words("upload publish push send post webhook pastebin deploy")],
  [
    "write",
    words(
      `output out outfile outdir outputfile write fix save dump logfile junitxml basetemp inplace update generate export record snapshot rewrite install
      apply`,
    ),
  ],
  ["configure", words("endpoint proxy registry override")],
];
// How something is shown, and what keeps a program from doing something.
const HARMLESS = /^(?:no-|without-|disable-|dry-run$|force-colou?r$|force-exclude$|output-format$|fix-dry-run$)/;

const MOST_TOLD = 1_000;
const LONGEST_TOLD = 64;
const told = new Map<string, Hazard["does"] | undefined>();

/** What an option does by the words of its name, in a program of which nothing else is known. */
export function tellingOption(word: string): Hazard["does"] | undefined {
  if (!word.startsWith("-") || word.length < 2 || word === "--") return undefined;
  if (word.length > LONGEST_TOLD) return tell(word);
  // Most lines repeat a few options, and to take a name apart costs more than the rest of a short line.
  let does = told.get(word);
  if (does === undefined && !told.has(word)) {
    if (told.size >= MOST_TOLD) told.clear();
    told.set(word, (does = tell(word)));
  }
  return does;
}

function tell(word: string): Hazard["does"] | undefined {
  if (/^-o(?:$|[^a-z]|.*[/.=])/.test(word)) return "write";
  const name = /^--?([A-Za-z][\w.-]{1,63})/.exec(word)?.[1];
  if (name === undefined) return undefined;
  const parts = name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  if (HARMLESS.test(parts)) return undefined;
  for (const part of parts.split(/[-_.]+/)) for (const [does, telling] of TELLING) if (telling.has(part)) return does;
  return undefined;
}

/** Notes the options that say by their names what they do. */
export function noteTelling(out: Out): void {
  for (let at = 1; at < out.argv.length; at++) {
    const word = out.argv[at];
    const start = word === undefined ? "" : prefix(word);
    if (start === "--") return;
    const does = tellingOption(start);
    if (does !== undefined) hazard(out, at, does);
  }
}

const INSTALLED: ReadonlySet<string> = new Set([
  "",
  ..."/bin/ /sbin/ /usr/bin/ /usr/sbin/ /usr/local/bin/ /usr/local/sbin/ /usr/games/ /usr/libexec/ /snap/bin/ /opt/homebrew/bin/".split(
    " ",
  ),
  ..."/opt/homebrew/sbin/ /opt/local/bin/ /opt/local/sbin/ /home/linuxbrew/.linuxbrew/bin/ /run/current-system/sw/bin/".split(" "),
]);

/** Whether a program is one of the system: by its bare name, or in a folder of the system. */
export function isInstalled(name: string): boolean {
  return INSTALLED.has(name.slice(0, name.lastIndexOf("/") + 1));
}
