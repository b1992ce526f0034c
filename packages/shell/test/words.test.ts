import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { wordsOf } from "./bash.ts";
import { shown, wordsIn } from "./kit.ts";
import { doubtsOf } from "./told.ts";
import { randomFrom } from "./random.ts";

describe("words after quote removal", () => {
  it.each(readCases<[string, string[]]>(import.meta, "quotes"))("%s", (line, words) => {
    expect(wordsIn(line)).toEqual(words);
  });

  it.each(readCases<[string, string]>(import.meta, "quoted-here-documents"))(
    "knows the text of a quoted here-document that cat prints, and of nothing like it: %j",
    (line, word) => {
      expect(wordsIn(line)).toEqual(["x", word, "z"]);
    },
  );

  it("reads a script in a quoted here-document that cat prints", () => {
    const { commands } = analyze("bash -c \"$(cat <<'E'\nrm -rf src\nE\n)\"");
    expect(commands.map(({ argv }) => argv.map(shown))).toContainEqual(["rm", "-rf", "src"]);
  });

  it.each(readCases<string>(import.meta, "changed-homes"))(
    "does not trust the home folder in: %s",
    (line) => {
      const cat = analyze(line).commands.find(({ argv }) => argv[0]?.text === "cat");
      expect(cat?.argv.map(shown)).toEqual(["cat", "<?>/x", "<?>/x…"]);
    },
  );
});

it("random quoting, braces and tildes become the same words as in bash", () => {
  const lines = randomFrom(1, 1200, PARTS, 9);
  const truth = wordsOf(lines);
  let compared = 0;
  for (const [index, line] of lines.entries()) {
    const want = truth[index];
    const { commands, unknown } = analyze(`printf x ${line}`);
    const words = commands[0]?.argv.slice(2) ?? [];
    // Exclude a second command, an error, and words known only to bash, because these do not test quoting.
    if (
      want === undefined ||
      unknown.length > 0 ||
      commands.length !== 1 ||
      words.some(({ text }) => text === undefined)
    )
      continue;
    const nothing = want.length === 1 && want[0] === "" && words.length === 0;
    const got = words.map(({ text = "" }, at) =>
      want[at] === text ? text : text.replace("~", "/home/dev"),
    );
    expect([line, ...(nothing ? [] : want)]).toEqual([line, ...got]);
    compared++;
  }
  expect(compared).toBeGreaterThan(400);
});

const PARTS = [
  "a", "n", "x", "4", "1", "7", " ", "  ", "\t", "'", "'", '"', '"', "\\", "\\", "$'", '$"', "\\\n", "{", "}", ",", "..", "{", "}", "{a,b}", "{1..3}", "{c..a}", "{01..3}",
  "#", "!", "é", "😀", "=", "/", ":", "^", "%", "@", "+", "-", "\\x41", "\\u0072", "\\162", "\\e", "\\n", "~", "~/", " ~", "a=~/", "$HOME", '"$HOME"', "${HOME}/x", "[a",
]; // prettier-ignore

it.each(readCases<[string, string[]]>(import.meta, "secrets"))(
  "%s uses what may be a secret: %j",
  (line, codes) => expect(doubtsOf(line)).toEqual(codes),
);
