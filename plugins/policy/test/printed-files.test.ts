import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type Decision } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { inFolder, rule } from "./kit.ts";

const text = `
[[rules]]
name = "secrets"
action = "deny"
tool = "*"
paths = ["**/.env", "**/.ssh/**"]
[[rules]]
name = "fixtures"
action = "ask_user"
tool = "*"
paths = "**/*.pem"
[[rules]]
name = "no-notes-for-ack"
action = "deny"
command = "ack *"
paths = "**/notes.txt"
[[rules]]
name = "search"
action = "allow"
command = ["{grep,rgrep,ack,diff,rg,gzip,prettier} *", "git grep --no-index *", "tar {cf,chf} [!-]* *", "zip -r [!-]* *", "touch *", "rm *", "cd *", "cat *", "head *", "ls *", "find *", "xargs *", "du *", "git checkout *", "git add *"]
paths = { read = ["./?*", "./?*/**"], write = "./*.tar" }
[[rules]]
name = "checks"
action = "allow"
command = ["node --test *", "{mocha,npx mocha,rubocop,flake8} *"]
paths = "./**"
`;

let work = "";
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-printed-")));
  for (const path of ["a.md", "src/a.ts", "src/deep/b.ts", "test/key.pem"]) create(path);
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const { create } = inFolder(() => work);

const decideBy = (rules: string): ((command: string, cwd?: string) => Promise<Decision>) => {
  const kernel = createKernel({ plugins: [policy({ text: rules })] });
  return async (command, cwd = work) =>
    kernel.decide({
      ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
      ...{ cwd, workspace: cwd, home: "/home/dev" },
    });
};
const decide = decideBy(text);
const effectOf = async (command: string, cwd?: string): Promise<string> =>
  (await decide(command, cwd)).effect;

const SEARCHES = readCases<string>(import.meta, "searches");

describe("a search below a folder", () => {
  it.each(SEARCHES)("is allowed if no file there is denied: %s", async (line) => {
    expect(await effectOf(line)).toBe("allow");
  });

  it.each(SEARCHES)("is asked about if one is: %s", async (line) => {
    create("src/deep/.env");
    expect(await decide(line)).toMatchObject({
      effect: "ask_user",
      code: "unknown_path",
      reason: expect.stringMatching(/`secrets` may be about .*, which may use `src\/deep\/\.env`/),
    });
  });

  it.each([
    "grep -r KEY src --include='*.ts'",
    "grep -r KEY . --include='*.ts'",
    "grep -r KEY src --exclude-dir=deep",
    "grep KEY src/a.ts",
    "gzip -tr src",
    "prettier --check src",
    "ls -R src",
    "find src -type f",
    "du -a src",
  ])("leaves out a denied file, or prints names alone: %s", async (line) => {
    create("src/deep/.env");
    expect(await effectOf(line)).toBe("allow");
  });

  it.each([
    "grep -r KEY src --exclude-dir='d*'",
    "grep -r KEY src --exclude-dir=dee",
    "grep -r KEY src --include=.env",
    "grep -r KEY src --include='.*'",
    "grep -r KEY src --exclude='*.ts' --include='*.ts'",
    "grep -R KEY src",
  ])("may still use it: %s", async (line) => {
    create("src/deep/.env");
    expect(await effectOf(line)).toBe("ask_user");
  });

  it.each(["ack KEY src", "ack KEY src; grep -r KEY src", "grep -r KEY src; ack KEY src"])(
    "is asked about if one program may not print a file there: %s",
    async (line) => {
      create("src/deep/notes.txt");
      expect(await effectOf("grep -r KEY src")).toBe("allow");
      expect(await effectOf(line)).toBe("ask_user");
    },
  );

  it.each([
    "node --test 'src/**'",
    "node --test '{src/deep/.env,x}'",
    "mocha '**/.e*'",
    "npx mocha 'src/deep/*'",
    "rubocop 'src/*/.en?'",
    "cd src && mocha '**/!(x)'",
    "flake8 --filename='*env' src",
  ])("may find it by a glob of its own: %s", async (line) => {
    create("src/deep/.env");
    expect(await effectOf(line)).toBe("ask_user");
  });

  it.each([
    "node --test 'src/**/*.test.ts'",
    "mocha 'src/**/*.{spec,test}.ts' --timeout 9000",
    "npx mocha '!src/x' 'src/deep/*.ts'",
    "rubocop 'src/*/*.rb'",
  ])("does not find it by a glob for other names: %s", async (line) => {
    create("src/deep/.env");
    expect(await effectOf(line)).toBe("allow");
  });

  it("is asked about if a denied folder lies there", async () => {
    create("src/.ssh/config");
    expect(await effectOf("grep -r KEY src")).toBe("ask_user");
  });

  it("follows no link below the folder, but one that is the folder", async () => {
    create("other/.env");
    symlinkSync("../other", join(work, "src/link"));
    symlinkSync("other", join(work, "named"));
    expect(await effectOf("grep -r KEY src")).toBe("allow");
    expect(await effectOf("grep -r KEY named")).toBe("ask_user");
  });

  it("is asked about if there are too many files to look at", async () => {
    mkdirSync(join(work, "many"));
    for (let id = 0; id <= 10_000; id += 1) writeFileSync(join(work, "many", `${id}`), "");
    expect(await decide("grep -r KEY many")).toMatchObject({
      effect: "ask_user",
      reason: expect.stringContaining("too many files"),
    });
    expect(await effectOf("grep -r KEY . --exclude-dir=many")).toBe("allow");
  });
});

describe("a search of the whole workspace", () => {
  it.each([
    "git checkout main && grep -r KEY .",
    "grep -r KEY . & git checkout main",
    "while true; do grep -r KEY .; git checkout main; done",
    "echo x > x.tar; grep -r KEY .",
  ])("is asked about if the line may add files: %s", async (line) => {
    expect(await effectOf(line)).toBe("ask_user");
  });

  it("is allowed after a command that adds no file", async () => {
    expect(await effectOf("cat a.md && git add a.md && grep -r KEY .")).toBe("allow");
  });

  it("is asked about where the host does not see the workspace", async () => {
    expect(await effectOf("grep -r KEY .", "/nowhere/work")).toBe("ask_user");
    expect(await effectOf("grep -r KEY src", "/nowhere/work")).toBe("allow");
  });

  it("reads no parent folder", async () => {
    expect(await effectOf("grep -r KEY ..", join(work, "src"))).toBe("ask_user");
  });
});

describe("a command that follows links", () => {
  const lines = [
    "grep -R KEY src",
    "grep -R KEY src/deep test",
    "diff -r src test",
    "diff -rq src test",
    "zip -r a.tar src",
    "tar chf a.tar src",
  ];

  it.each(lines)("is allowed if there is no link below its folders: %s", async (line) => {
    expect(await effectOf(line)).toBe("allow");
  });

  it.each(lines)("is not allowed if there is one: %s", async (line) => {
    symlinkSync(tmpdir(), join(work, "src/deep/out"));
    expect(await effectOf(line)).toBe("ask_user");
  });

  it.each(lines)("is asked about if a denied file is there: %s", async (line) => {
    create("src/deep/.env");
    expect((await decide(line)).reason).toContain("which may use `src/deep/.env`");
  });

  it("may leave out what zip is told to", async () => {
    expect(await effectOf("zip -r a.tar src -x '*.log' .env")).toBe("allow");
    create(".env");
    for (const rest of ["@ .env", "-r .env", "-x.log .env"])
      expect([rest, await effectOf(`zip -r a.tar src -x a ${rest}`)]).toEqual([rest, "deny"]);
  });

  it("is not allowed if its folder is a link, or another command may make one", async () => {
    symlinkSync("src", join(work, "other"));
    expect(await effectOf("grep -R KEY other")).toBe("ask_user");
    expect(await effectOf("grep -R KEY src/*")).toBe("ask_user");
    expect(await effectOf("touch src/x && grep -R KEY src")).toBe("ask_user");
    expect(await effectOf("ln -s /etc src/x; grep -R KEY src")).toBe("ask_user");
  });
});

describe("a search for names", () => {
  const linesFor = (glob: string): readonly string[] => [
    `find src -name '${glob}' -exec cat {} +`,
    `find src -name '${glob}' | xargs cat`,
    `grep -rn KEY . --include='${glob}'`,
    `rg -g '${glob}' KEY`,
    `rg --hidden -g '${glob}' KEY .`,
  ];

  it.each(["*a*", "a*", "*b*.ts", "*.t*s"].flatMap(linesFor))(
    "is decided by the files that have them: %s",
    async (line) => {
      create("src/.env");
      create("src/.ssh/id");
      expect(await effectOf(line)).toBe("allow");
    },
  );

  it.each(
    ["*env*", "*n*", ".e*v", "*E*v", "[.]env", "*e?v", ".*", ".env", "\\.env", "src/"].flatMap(
      linesFor,
    ),
  )("is not allowed if a denied file has one: %s", async (line) => {
    create("src/.env");
    expect(await effectOf(line)).not.toBe("allow");
  });

  it.each([".env", "\\.env"].flatMap(linesFor))(
    "is not allowed if it names a denied file: %s",
    async (line) => {
      expect(await effectOf(line)).not.toBe("allow");
    },
  );

  it.each(linesFor("new.ts").slice(0, 2))(
    "is allowed for a name without wildcards once such a file is there: %s",
    async (line) => {
      expect(await effectOf(line)).toBe("ask_user");
      create("src/new.ts");
      expect(await effectOf(line)).toBe("allow");
      create("src/.ssh/new.ts");
      expect(await effectOf(line)).toBe("deny");
    },
  );

  it.each(linesFor("*.pem"))(
    "is asked about if it is for what a rule asks about: %s",
    async (line) => {
      expect(await effectOf("grep -rn KEY .")).toBe("allow");
      create("src/key.pem");
      expect(await effectOf(line)).toBe("ask_user");
    },
  );

  it("is not allowed if the folder that it starts at has one, with a denied file in it", async () => {
    const line = "find src -name '*r*' -exec grep -r KEY {} +";
    create("src/br/a.ts");
    expect(await effectOf(line)).toBe("allow");
    create("src/.env");
    expect(await effectOf(line)).toBe("deny");
  });

  it("is not allowed if it finds a link with braces in its name to a denied file", async () => {
    const line = "find src -name 'a{b}*' -exec cat {} +";
    create("src/ab.ts");
    expect(await effectOf(line)).toBe("allow");
    create("src/.env");
    symlinkSync(".env", join(work, "src/a{b}.ts"));
    expect(await effectOf(line)).toBe("deny");
  });

  it("is denied if it deletes whatever has a letter in its name", async () => {
    const decideStrictly = decideBy(rule("all", "deny", 'effects = ["delete-below"]'));
    for (const line of ["find . -name '*a*' -delete", "rm -r src"])
      expect(await decideStrictly(line)).toMatchObject({ effect: "deny", rule: { name: "all" } });
  });

  it("sees every file that find prints", async () => {
    const names = ["a", "b", "ab", "ba", "aba", "a.b", ".a", ".ab", "b.a.b", "A", "aB", "é", "aé"];
    const parts = ["a", "b", ".", "*", "?", "[ab]", "A", "é"];
    const globs = parts.flatMap((one) =>
      parts.flatMap((two) => parts.map((three) => `${one}${two}${three}`)),
    );
    for (const name of names) create(`names/${name}`);
    const tests = globs.flatMap((glob) =>
      ["-name", "-iname"].flatMap((option) => [
        ...["(", option, glob, "-printf", `${option} ${glob} %f\\n`, "-false", ")", "-o"],
      ]),
    );
    const search = ["names", "-type", "f", "(", ...tests, "-false", ")"];
    const printed = new Set(
      execFileSync("find", search, { cwd: work, encoding: "utf8" }).split("\n"),
    );
    const count = { found: 0, allowed: 0 };
    for (const denied of ["ab", ".ab", "b.a.b", "aé"]) {
      const decideStrictly = decideBy(
        rule("no", "deny", `tool = "*"\npaths = "**/${denied}"`) + text,
      );
      for (const glob of globs)
        for (const option of ["-name", "-iname"]) {
          const line = `find names ${option} '${glob}' -exec cat {} +`;
          const { effect } = await decideStrictly(line);
          const isFound = printed.has(`${option} ${glob} ${denied}`);
          if (isFound) expect([line, denied, effect]).not.toContain("allow");
          count[isFound ? "found" : "allowed"] += isFound || effect === "allow" ? 1 : 0;
        }
    }
    expect(count.found).toBeGreaterThan(200);
    expect(count.allowed).toBeGreaterThan(1000);
  });
});
