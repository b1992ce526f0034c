import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { wordsOf } from "./bash.ts";
import { shown, wordsIn } from "./kit.ts";
import { doubtsOf } from "./told.ts";
import { randomFrom } from "./random.ts";

describe("words after quote removal", () => {
  it.each(
    readCases<readonly [string, readonly string[]]>(
      new URL("cases/words/quotes.jsonl", import.meta.url),
    ),
  )("%s", (line, words) => {
    expect(wordsIn(line)).toEqual(words);
  });

  it.each([
    ["x \"$(cat <<'E'\na $b\n\n'q' `c`\n\nE\n)\" z", "a $b\n\n'q' `c`"],
    ['x "$(cat <<E\na\nE\n)" z', "<?>"],
    ["x \"$(cat <<-'E'\n\ta\nE\n)\" z", "<?>"],
    ["x \"$(cat -n <<'E'\na\nE\n)\" z", "<?>"],
    ["x \"$(cat f <<'E'\na\nE\n)\" z", "<?>"],
    ["x \"$(cat <<'E' >f\na\nE\n)\" z", "<?>"],
    ["x \"$(cat <<'E' | tr a b\na\nE\n)\" z", "<?>"],
    ["x \"$(cat <<'E'\na\nE\nid)\" z", "<?>"],
    ["x \"$(tac <<'E'\na\nE\n)\" z", "<?>"],
    ["x \"$(./cat <<'E'\na\nE\n)\" z", "<?>"],
    ["x $(cat <<'E'\na\nE\n) z", "<?>…"],
  ])(
    "knows the text of a quoted here-document that cat prints, and of nothing like it: %j",
    (line, word) => {
      expect(wordsIn(line)).toEqual(["x", word, "z"]);
    },
  );

  it("reads a script in a quoted here-document that cat prints", () => {
    const { commands } = analyze("bash -c \"$(cat <<'E'\nrm -rf src\nE\n)\"");
    expect(commands.map(({ argv }) => argv.map(shown))).toContainEqual(["rm", "-rf", "src"]);
  });

  it.each([
    "HOME=/etc; cat ~/x $HOME/x",
    "read HOME; cat ~/x $HOME/x",
    "env HO''ME=/etc cat ~/x $HOME/x",
    "for HOME in /etc; do cat ~/x $HOME/x; done",
    "export 'HOME=/etc'; cat ~/x $HOME/x",
  ])("does not trust the home folder in: %s", (line) => {
    const cat = analyze(line).commands.find(({ argv }) => argv[0]?.text === "cat");
    expect(cat?.argv.map(shown)).toEqual(["cat", "<?>/x", "<?>/x…"]);
  });
});

describe("against bash", () => {
  it("makes the same words of random quoting, braces and tildes", () => {
    const lines = randomFrom(1, 1200, PARTS, 9);
    const truth = wordsOf(lines);
    let compared = 0;
    for (const [index, line] of lines.entries()) {
      const want = truth[index];
      const { commands, unknown } = analyze(`printf x ${line}`);
      const words = commands[0]?.argv.slice(2) ?? [];
      // A second command of the line, an error, and what only bash knows are not about quoting.
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
});

const PARTS = [
  "a", "n", "x", "4", "1", "7", " ", "  ", "\t", "'", "'", '"', '"', "\\", "\\", "$'", '$"', "\\\n", "{", "}", ",", "..", "{", "}", "{a,b}", "{1..3}", "{c..a}", "{01..3}",
  "#", "!", "é", "😀", "=", "/", ":", "^", "%", "@", "+", "-", "\\x41", "\\u0072", "\\162", "\\e", "\\n", "~", "~/", " ~", "a=~/", "$HOME", '"$HOME"', "${HOME}/x", "[a",
]; // prettier-ignore

it.each([
  ["cat <<E\n$API_TOKEN\nE", ["secret"]],
  ["echo ${x:-$API_TOKEN}", ["secret"]],
  ["echo $((API_TOKEN))", ["secret"]],
  ['echo "$API_TOKEN"', ["secret"]],
  ["echo $password", ["secret"]],
  ["echo ${DB_PASS%x}", ["secret"]],
  ["cat <<< $SECRET", ["secret"]],
  ["for token in a b; do echo x$token; done", []],
  ["API_TOKEN=$(id); echo x$API_TOKEN", []],
  ["echo x$KEYS $SSH_AUTH_SOCK ${#API_TOKEN}", []],
])("%s uses what may be a secret: %j", (line, codes) => expect(doubtsOf(line)).toEqual(codes));
