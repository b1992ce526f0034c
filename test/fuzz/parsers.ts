import { analyze, type Analysis } from "@bylaw/shell";
import { refused } from "../../packages/shell/test/refused.ts";
import { createClock, type Fuzz } from "./clock.ts";
import { createSecondParser } from "./second-parser.ts";
import { isUnknown } from "./shell.ts";
import { Statements } from "./statements.ts";

const ROUND = 20_000;
const BATCH = 50;
const MAX_SHOWN = 40;

// Forms that the second parser misreads: continued lines, escapes behind quotes and blanks in names, arithmetic, a dollar as a file,
// a here-document behind a word, parentheses behind `$$`, a quote behind `!`, a leading redirection, one behind an option with a
// number, a name that begins with a brace, a name with an equals sign that is no assignment, a second pattern of a case in
// parentheses, text after reserved words, a backslash that begins a quoted here-document, and a dollar before a closing backquote.
const MISREAD =
  /\\\s|['"]\\|[<>]\s*\$\s|[^\s\d<]<<|\$\$\(|!['"]|(?:^|[;&|({\n])\s*\d*[<>]|\{\w+>|(?:^|[\s;&|(])[-\d]\S*=|\(\(|\[ |\[\[|=\S*\s*[#\n\\$]|>&|\\;|-\w*\d[<>]|;; \(|(?:^|[\s;&|(])-(?=\s)|<<-?\s*['"]\w+['"]\n\\|\$`/;
const RESERVED: ReadonlySet<string> = new Set(
  "! if then elif else fi for in while until do done case esac select function time coproc { } [[ ]]".split(
    " ",
  ),
);

/** Checks that bash accepts every line that is fully known, and that no other parser sees a further command in it. */
export async function fuzzParsers({ runs, seed }: Fuzz): Promise<string> {
  const namesOf = await createSecondParser();
  const lines = new Statements(seed);
  const clock = createClock();
  const finds = new Set<string>();
  let known = 0;
  let compared = 0;
  for (let left = runs; left > 0; left -= ROUND) {
    const round: string[] = [];
    for (let at = Math.min(left, ROUND); at > 0; at--) {
      const command = lines.next();
      if (!clock.within(() => analyze(command), command))
        finds.add(`${JSON.stringify(command)} takes too long`);
      const analysis = analyze(command);
      if (isUnknown(analysis) || analysis.commands.length === 0) continue;
      round.push(command);
      const names = MISREAD.test(command) ? undefined : namesOf(command);
      if (names === undefined) continue;
      compared++;
      const unseen = missing(names, analysis);
      if (unseen !== undefined) finds.add(`${JSON.stringify(command)} hides \`${unseen}\``);
    }
    known += round.length;
    for (const wrong of refusedOf([...new Set(round)]))
      finds.add(`${JSON.stringify(wrong)} is known, but bash refuses it`);
  }
  if (finds.size > 0) throw new Error(foundText([...finds], seed));
  return `${runs} lines: none threw, ${clock.told()}; bash refused none of the ${known} that were wholly known, and a second parser saw no other command in ${compared} of them`;
}

// The shortest findings are the most useful.
function foundText(finds: readonly string[], seed: number): string {
  const shortest = finds.toSorted((a, b) => a.length - b.length).slice(0, MAX_SHOWN);
  return `${finds.length} lines are misread (seed ${seed}), among them:\n${shortest.join("\n")}`;
}

function missing(names: readonly string[], { commands }: Analysis): string | undefined {
  const seen = new Map<string, number>();
  for (const { argv } of commands) {
    const name = argv[0]?.text ?? "";
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  for (const name of names) {
    if (RESERVED.has(name)) continue;
    const left = seen.get(name) ?? 0;
    if (left === 0) return name;
    seen.set(name, left - 1);
  }
  return undefined;
}

// Starts bash once for many lines. Each is in a function, so that an unclosed line does not affect the next.
function refusedOf(lines: readonly string[]): readonly string[] {
  const alone = lines.filter((line) => /<<|\\$/.test(line));
  const others = lines.filter((line) => !/<<|\\$/.test(line));
  const batches: string[][] = [];
  for (let at = 0; at < others.length; at += BATCH) batches.push(others.slice(at, at + BATCH));
  const answers = refused(
    batches.map((batch) => batch.map((line) => `f() {\n${line}\n}\n: "'"\n`).join("")),
  );
  const open = [...alone, ...batches.filter((_, at) => answers[at]).flat()];
  const each = refused(open);
  return open.filter((_, at) => each[at]);
}
