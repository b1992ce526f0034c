import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { call, inFolder, rule } from "./kit.ts";

const ALLOWED = `command = ["cat *", "cd *", "echo *", "find *", "git grep *", "git log *", "git ls-files *", "grep *", "head *", "ls *", "read *", "sed -i *", "sort *", "tail *", "wc *", "xargs *"]
paths = "**"`;
const text = rule("secret", "deny", 'paths = "**/.env"') + rule("files", "allow", ALLOWED);

const SECRET = "this is the secret";

let work = "";
beforeEach(() => {
  work = temporaryFolder();
  git("init", "-q");
  create(".gitignore", ".env\n");
  create("src/a.ts");
  create("src/deep/b.ts");
  create(".env", SECRET);
  track();
});

const { create, git } = inFolder(() => work);

const track = (): string => git("add", ".");

const kernel = createKernel({ plugins: [policy({ text })] });

async function decided(command: string): Promise<string> {
  const place = { cwd: work, workspace: work, home: "/home/dev" };
  return (await kernel.decide(call("bash", { command }, place))).effect;
}

const printedBy = (shell: string, line: string): string =>
  spawnSync(shell, ["-c", line], { cwd: work, encoding: "utf8", input: "" }).stdout ?? "";

const LISTS = ["git ls-files", "find . -name '*.ts'", "find src -type f | sort", "ls src/*.ts"];
const READERS = [
  (list: string) => `cat $(${list})`,
  (list: string) => `for f in $(${list}); do cat "$f"; done`,
  (list: string) => `for f in $(${list}); do cat $f; done`,
  (list: string) => `for f in $(${list}); do tail -n 1 < "$f"; done`,
  (list: string) => `${list} | while read -r f; do cat "$f"; done`,
  (list: string) => `${list} | while IFS= read -r f; do head -3 "$f" | sort; done`,
  (list: string) => `${list} | while read f; do cat $f; done`,
  (list: string) => `while read -r f; do cat "$f"; done < <(${list})`,
];
const LINES = LISTS.flatMap((list) => READERS.map((line) => line(list)));

describe("a list that the shell reads", () => {
  it.each(LINES.filter((line) => !line.includes("ls src")))(
    "is known if all names are plain: %s",
    async (line) => expect(await decided(line)).toBe("allow"),
  );

  it("is known with zero bytes between its paths", async () => {
    const line = "find . -name '*.ts' -print0 | while IFS= read -r -d '' f; do wc -l \"$f\"; done";
    expect(await decided(line)).toBe("allow");
  });

  it("may be changed file by file", async () => {
    expect(await decided("for f in $(git ls-files); do sed -i s/a/b/ $f; done")).toBe("allow");
  });

  it("keeps plain brackets in a name unless a shell expands it", async () => {
    create("src/[id].ts");
    track();
    expect(await decided('git ls-files | while read -r f; do cat "$f"; done')).toBe("allow");
    expect(await decided("git ls-files | while read -r f; do cat $f; done")).not.toBe("allow");
    expect(await decided('for f in $(git ls-files); do cat "$f"; done')).not.toBe("allow");
  });

  // Each name is no secret by itself, and leads a shell to one if it splits, expands or shortens the name.
  const names = readCases<string>(import.meta, "names");
  it.each(names)("is never read wrongly by a shell: a name %j", async (name) => {
    create(name);
    track();
    for (const line of LINES) {
      if ((await decided(line)) !== "allow") continue;
      for (const shell of ["bash", "dash"]) expect(printedBy(shell, line)).not.toContain(SECRET);
    }
  });
});

describe("a body that may read from the list itself", () => {
  const bodies = readCases<string>(import.meta, "bodies");
  it.each(bodies)("leaves the paths after it unknown: %s", async (body) => {
    const line = `find . -name '*.ts' | while read -r f; do cat "$f"; ${body}; done`;
    expect(await decided(line)).not.toBe("allow");
  });
});

describe("a variable that holds what `ls` prints", () => {
  beforeEach(() => {
    create("src/c.md");
    create("src/.env", SECRET);
  });

  it.each([
    "cd src && f=$(ls -d *.md) && cat $f",
    "cd src && f=$(ls -d *.md) && for g in ${f}; do cat $g; done",
    "f=$(ls -d src/*.md); g=$f; cat $g",
  ])("is known in the folder of the names: %s", async (line) => {
    expect(await decided(line)).toBe("allow");
  });

  // Each part of such a name is a file elsewhere.
  it.each([
    "f=$(ls -d *.md) && cd src && cat $f",
    "f=`ls -d *.md`; cd src && for g in ${f}; do cat $g; done",
    "f=$(ls -d *.md); g=$f; (cd src; cat $g)",
  ])("is unknown in another folder: %s", async (line) => {
    create("x .env y.md");
    expect(printedBy("bash", line)).toContain(SECRET);
    expect(await decided(line)).not.toBe("allow");
  });
});

// What is left of a path may be the path of another file.
it("a loop whose redirection shares the list leaves the paths unknown", async () => {
  const body = 'echo x | head -c 5 <&3; cat "$f"';
  expect(await decided(`find . -name '*.ts' | while read -r f; do ${body}; done 3<&0`)).not.toBe(
    "allow",
  );
});

it("the files of a commit are no files of a folder", async () => {
  const lines = (from: string) => [
    `git grep -l plain ${from} | xargs cat`,
    `for f in $(git grep -l plain ${from}); do cat "$f"; done`,
  ];
  for (const line of lines("src")) expect(await decided(line)).toBe("allow");
  for (const line of lines("main")) expect(await decided(line)).not.toBe("allow");
});

describe("a substitution that prints nothing", () => {
  const lines = readCases<string>(import.meta, "loops");
  it.each(lines)("makes no command do what was not decided: %s", async (line) => {
    mkdirSync(join(work, "empty"));
    if ((await decided(line)) === "allow") {
      for (const shell of ["bash", "dash"]) {
        const env = { ...process.env, TMPDIR: join(work, "none") };
        const { stdout } = spawnSync(shell, ["-c", line], {
          cwd: work,
          encoding: "utf8",
          input: "",
          env,
        });
        expect(stdout).not.toContain(SECRET);
        expect(readFileSync(join(work, "src/a.ts"), "utf8")).toBe("a\n");
      }
    }
  });
});
