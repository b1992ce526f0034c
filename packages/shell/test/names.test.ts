import { describe, expect, test } from "vitest";
import { analyze, readOptions } from "../src/index.ts";
import { shown } from "./kit.ts";
import { commandOf, doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

/** The subcommand by its usual name, with the operands behind it. */
function operandsOf(line: string): string {
  const { argv } = commandOf(line);
  const read = readOptions(argv[0]?.text ?? "", argv, 1);
  return read === undefined ? "?" : read.operands.map(({ word }) => shown(word)).join(" ");
}

describe("npm takes the beginning of a subcommand that only one has", () => {
  test.each([
    ["npm exe -- id", "id:run"],
    ["npm ini evil", "ini:run"],
    ["npm creat evil", "creat:run"],
    ["npm inni evil", "inni:run"],
    ["npm edi x", "edi:run"],
    ["npm explo p id", "id:run"],
    ["npm conf set script-shell x", "set:configure"],
    ["npm con set script-shell x", "set:configure"],
    ["npm pk set scripts.test=id", "set:configure"],
    ["npm approve-s x", "approve-s:configure"],
    ["npm frobnicate", "frobnicate:run"],
    ["npm st", "st:run"],
    ["cnpm exe -- id", "id:run"],
  ])("%s: %s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));

  test.each([
    ["npm pub", "publish"],
    ["npm publis --access public", "publish"],
    ["npm install-c x", "install-c x"],
    ["npm install-t", "install-test"],
    ["npm runScript x", "run x"],
    ["npm remov x", "uninstall x"],
    ["npm unpub x", "unpublish x"],
    ["npm exe x", "exec x"],
    ["npm ru test", "ru test"],
    ["npm run-s test", "test"],
    ["npm st", "st"],
    ["npm constructor", "constructor"],
    ["pnpm pub", "pub"],
    ["hg pus x", "push x"],
    ["gem inst x", "install x"],
    ["bundle exe x", "exec x"],
  ])("%s is %s", (line, operands) => expect(operandsOf(line)).toBe(operands));

  test.each([
    "npm publish",
    "npm test",
    "npm tes",
    "npm run build",
    "npm ci",
    "npm ls",
    "npm outd",
    "pnpm build",
    "yarn build",
  ])("%s has no hazard", (line) => expect(hazardsOf(line)).toEqual([]));

  test("explore runs what follows as a script, and a shell where nothing does", () => {
    expect(runsOf("npm explore p -- ls 'a; id'")).toEqual(["ls a", "id"]);
    expect(doubtsOf("npm explore p -- ls")).toEqual([]);
    expect(hazardsOf("npm explore p")).toEqual(["p:run"]);
    expect(doubtsOf("npm explor p --")).toEqual(["dynamic_script"]);
  });
});

describe("subcommands of git that push, write and run", () => {
  test.each([
    ["git fetch-pack --upload-pack=id x", "--upload-pack=id:run"],
    ["git fetch-pack --upload-pack id x y", "--upload-pack:run"],
    ["git send-pack --exec=id x", "--exec=id:run"],
    ["git lfs install", "install:configure"],
    ["git lfs frobnicate", "frobnicate:run"],
    ["git lfs prune", "prune:delete"],
    ["git bundle create /etc/x HEAD", "/etc/x:write"],
    ["git bundle create -q x HEAD", "x:write"],
    ["git archive -o x HEAD", "-o:write"],
  ])("%s: %s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));
  test("git-lfs is git lfs", () => expect(runsOf("git-lfs install")).toContain("git lfs install"));
  test.each([
    "git lfs ls-files",
    "git lfs pull",
    "git svn log",
    "git bundle verify x",
    "git svn rebase",
  ])("%s has no hazard", (line) => expect(hazardsOf(line)).toEqual([]));
  test.each([
    ["git send-pack o main", "push o main"],
    ["git http-push http://x main", "push http://x main"],
    ["git lfs push o main", "push o main"],
    ["git svn dcommit", "push"],
    ["git subtree push --prefix=a o main", "push o main"],
    ["git lfs status", "lfs status"],
    ["git stash push", "stash push"],
  ])("%s is git %s", (line, operands) => expect(operandsOf(line)).toBe(operands));
});

describe("cd says where it goes", () => {
  test.each([
    ["cd", "read ~"],
    ["cd --", "read ~"],
    ["cd -P", "read ~"],
    ["cd -", "read ?"],
    ["cd -- -", "read ?"],
    ["cd src", "read src"],
    ["cd -- src", "read src"],
  ])("%s: %s", (line, effect) => expect(effectsOf(line)).toEqual([effect]));
  test.each([
    "HOME=/etc; cd; cat passwd",
    "HOME=/etc cd; cat passwd",
    "HOME=/etc cd --; cat passwd",
    "cd; cat passwd; export HOME=/etc; cd -P; cat passwd",
    "read HOME; cd; cat passwd",
    "HOME=/etc command cd; cat passwd",
  ])("%s goes nobody knows where", (line) => {
    const { commands } = analyze(line);
    for (const { argv, effects } of commands) {
      if (argv[0]?.text !== "cat" && argv[0]?.text !== "cd") continue;
      expect(effects).toMatchObject([
        { kind: "read", path: { why: expect.any(String) as string } },
      ]);
    }
  });
  test("with a home that nothing changes, it goes there", () => {
    expect(analyze("cd && cat a").commands[1]?.effects).toEqual([
      { kind: "read", path: { text: "~/a" } },
    ]);
    expect(analyze("HOME=/etc cd src && cat a").commands[1]?.effects).toEqual([
      { kind: "read", path: { text: "src/a" } },
    ]);
  });
});

describe("a here-document has to end", () => {
  test.each([
    "git status <<E",
    "cat <<E\nid",
    "cat <<E\nx\n E",
    "cat <<-E\nx",
    "cat <<A <<B\na\nA\nb",
    "{ cat; } <<E\nx",
    "echo $(cat <<E\nx\n)",
  ])("%j does not", (line) => expect(doubtsOf(line)).toContain("syntax"));
  test.each([
    "cat <<E\nx\nE",
    "cat <<E\nE\n",
    "cat <<-E\n\tx\n\tE",
    "cat <<'E F'\nx\nE F",
    "cat <<A <<B\na\nA\nb\nB",
    "echo $(cat <<E\nx\nE\n)",
    '"$(cat <<E\nx\nE\n)"',
  ])("%j does", (line) => expect(doubtsOf(line)).not.toContain("syntax"));
});

describe("letters that look like others", () => {
  test.each([
    "git \u0440ush",
    "git push\u0301",
    "git stash \u0440op",
    "npm \u0440ublish",
    "rm \u2013rf build",
    "rm \u2212f x",
    "rm \u2014\u2014force x",
    "rm -\u0433f x",
    "git push --for\u0441e",
    "sudo rm \u2013rf x",
    "bash -c 'rm \u2013rf x'",
  ])("%s is doubtful", (line) => expect(doubtsOf(line)).toContain("syntax"));
  test.each([
    "git commit -m '\u2013 fixed'",
    "git commit -m\u00e9",
    "git commit --message=\u00e9",
    "echo a \u2013 b",
    "cat caf\u00e9",
    "git add caf\u00e9",
    "git stash push caf\u00e9",
    "npm run caf\u00e9",
    "grep -e '\u2014x' a",
  ])("%s is plain", (line) => expect(doubtsOf(line)).toEqual([]));
});

describe("a program in a folder where bare names are found is that program", () => {
  test.each(["/usr/bin/cat src/a", "/bin/cat src/a", "/usr/local/bin/cat src/a"])(
    "%s executes no file",
    (line) => expect(effectsOf(line)).toEqual(["read src/a"]),
  );
  test.each([
    "./cat src/a",
    "/usr/bin/../../tmp/cat src/a",
    "/usr/bin/x/cat src/a",
    "/opt/cat src/a",
    "bin/cat src/a",
  ])("%s does", (line) =>
    expect(effectsOf(line).filter((effect) => effect.startsWith("execute"))).toHaveLength(1),
  );
});
