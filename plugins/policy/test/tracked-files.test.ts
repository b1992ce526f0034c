import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createKernel, type ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { copyForEach } from "./kit.ts";

const text = `
[[rules]]
name = "secret"
action = "deny"
paths = "**/.env"
[[rules]]
name = "governing"
action = "deny"
paths = { write = "**/guard.json" }
[[rules]]
name = "files"
action = "allow"
command = ["cat *", "cd *", "cp *", "eslint *", "fd *", "find *", "git *", "git add --force *", "grep *", "head *", "mkdir *", "mv *", "printf *", "rg *", "prettier --write *", "rm -r *", "sed -i *", "sort *", "wc *", "xargs *"]
paths = "**"
`;

let work = "";
copyForEach(
  (folder) => (work = folder),
  () => {
    git("init", "-q");
    for (const path of ["src/a.ts", "src/b.ts", "docs/c.md"]) create(path);
    create(".gitignore", ".env\nnode_modules\n");
    git("add", ".");
    git("commit", "-qm", "x");
    create(".env");
    create("node_modules/guard.json");
  },
);

const git = (...words: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
    cwd: work,
    encoding: "utf8",
  });

function create(path: string, content = "a\n"): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), content);
}

const kernel = createKernel({ plugins: [policy({ text })] });

function callOf(command: string, cwd = work): ToolCall {
  const kept = { cwd, workspace: work, home: "/home/dev" };
  return { hook: "beforeToolCall", tool: "bash", args: { command }, ...kept };
}

async function decided(command: string, cwd = work): Promise<string> {
  const { effect, rule } = await kernel.decide(callOf(command, cwd));
  return effect === "deny" ? `deny ${rule?.name}` : effect;
}

describe("a list of git names tracked files", () => {
  const lines = readCases<string>(import.meta, "tracked");

  it.each(lines)("so nothing that it ignores is touched: %s", async (line) => {
    expect(await decided(line)).toBe("allow");
  });

  it.each(["2", "3", "4"])("in version %s of the index", async (version) => {
    git("update-index", "--index-version", version);
    create("docs/new.md");
    git("add", "-N", "docs/new.md");
    expect(await decided("git ls-files | xargs cat")).toBe("allow");
    git("add", "-f", ".env");
    expect(await decided("git ls-files | xargs cat")).toBe("deny secret");
  });

  it("in a linked working tree", async () => {
    git("worktree", "add", "-q", "other");
    create("other/.env");
    const other = join(work, "other");
    expect(await decided("git ls-files | xargs cat", other)).toBe("allow");
    execFileSync("git", ["add", "-f", ".env"], { cwd: other });
    expect(await decided("git ls-files | xargs cat", other)).toBe("deny secret");
  });

  it("of which a deny is about one", async () => {
    git("add", "-f", ".env", "node_modules/guard.json");
    expect(await decided("git ls-files | xargs cat")).toBe("deny secret");
    expect(await decided("git ls-files node_modules | xargs sed -i s/a/b/")).toBe("deny governing");
    expect(await decided("git ls-files src | xargs cat")).toBe("allow");
  });

  it("and a part of them is asked about, because it is not known which", async () => {
    git("add", "-f", ".env");
    for (const line of [
      "git ls-files | head -1 | xargs cat",
      "git ls-files | grep -v env | xargs cat",
      "git diff --name-only --cached --diff-filter=d | xargs cat",
      "git grep -l a | xargs cat",
    ])
      expect(await decided(line)).toBe("ask_user");
    expect(await decided("git ls-files | sort | xargs cat")).toBe("deny secret");
  });
});

describe("a list of what changed", () => {
  const lines = ["git ls-files -m | xargs cat", "git diff --name-only | xargs cat"];
  beforeEach(track);

  // Git reads a file again that was written in the same second as the index.
  function track(): void {
    utimesSync(join(work, ".env"), 1e9, 1e9);
    git("add", "-f", ".env");
  }

  it.each(lines)("leaves out files that are as the index says: %s", async (line) => {
    create("src/a.ts", "b\n");
    expect(await decided(line)).toBe("allow");
    create(".env", "longer\n");
    expect(await decided(line)).toBe("ask_user");
    track();
    expect(await decided(line)).toBe("allow");
    chmodSync(join(work, ".env"), 0o755);
    expect(await decided(line)).toBe("ask_user");
  });

  it("has a file that is only meant to be added, or has a conflict", async () => {
    git("rm", "-q", "--cached", ".env");
    git("add", "-f", "-N", ".env");
    for (const line of lines) expect(await decided(line)).toBe("ask_user");
    git("rm", "-q", "--cached", ".env");
    const blob = git("hash-object", "-w", ".env").trim();
    execFileSync("git", ["update-index", "--index-info"], {
      cwd: work,
      input: [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\t.env\n`).join(""),
    });
    for (const line of lines) expect(await decided(line)).toBe("ask_user");
  });

  it("has a file that was written after the index, or with it", async () => {
    for (const [time, effect] of [
      [1e9 + 1, "allow"],
      [1e9 + 0.9, "ask_user"],
      [1e9 - 1, "ask_user"],
    ] as const) {
      utimesSync(join(work, ".git/index"), time, time);
      for (const line of lines) expect(await decided(line)).toBe(effect);
    }
  });

  it("has a file behind a link, which git calls deleted", async () => {
    create("docs/.env");
    git("add", "-f", "docs/.env");
    utimesSync(join(work, "docs/.env"), 1e9, 1e9);
    git("add", "-f", "docs/.env");
    renameSync(join(work, "docs"), join(work, "other"));
    symlinkSync("other", join(work, "docs"));
    expect(git("diff", "--name-only")).toContain("docs/.env");
    for (const line of lines) expect(await decided(line)).not.toBe("allow");
  });

  it("has every file that git finds changed, however soon after the index", async () => {
    const names = ["a", "b", "c", "d"].map((name) => `many/${name}.ts`);
    for (const name of names) create(name);
    for (let round = 0; round < 16; round++) {
      git("add", ".");
      for (const [at, name] of names.entries())
        if ((round >> at) % 2 === 1) create(name, `${round % 10}\n`);
      const printed = git("diff", "--name-only")
        .split("\n")
        .filter((name) => name !== "");
      for (const name of names) {
        const rule = `[[rules]]\nname = "one"\naction = "deny"\npaths = "./${name}"\n`;
        const held = createKernel({ plugins: [policy({ text: text + rule })] });
        const { effect } = await held.decide(callOf("git diff --name-only | xargs cat"));
        if (printed.includes(name)) expect([name, effect]).toEqual([name, "ask_user"]);
      }
    }
  });

  it("has a file that the line itself changes first", async () => {
    for (const line of lines) expect(await decided(`touch .env; ${line}`)).not.toBe("allow");
    for (const line of lines)
      expect(await decided(`sed -i s/a/b/ src/a.ts; ${line}`)).toBe("ask_user");
    for (const line of lines)
      expect(await decided(`${line}; sed -i s/a/b/ src/a.ts`)).toBe("allow");
  });
});

describe("files are asked about that git may print although it does not track them", () => {
  it.each(readCases<string>(import.meta, "prints-others"))("%s", async (line) => {
    expect(await decided(line)).not.toBe("allow");
  });

  const ask = async (): Promise<void> => {
    expect(await decided("git ls-files | xargs cat")).toBe("ask_user");
  };

  it("because of a name that is read as others", async () => {
    for (const name of ["-f", "a b", 'a"b', "a\nb", "a\\b", "ä"]) {
      create(name);
      git("add", "--", name);
      await ask();
      git("rm", "-qf", "--", name);
    }
  });

  it("because the working tree is another", async () => {
    git("config", "core.worktree", join(work, "src"));
    await ask();
  });

  it("because of a submodule", async () => {
    execFileSync("git", ["init", "-q", join(work, "sub")]);
    execFileSync("git", ["-C", join(work, "sub"), "commit", "-q", "--allow-empty", "-m", "x"], {
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a",
      },
    });
    git("add", "sub");
    await ask();
  });

  it("because the index is split, damaged, or of another kind", async () => {
    git("update-index", "--split-index");
    await ask();
    git("update-index", "--no-split-index");
    expect(await decided("git ls-files | xargs cat")).toBe("allow");
    appendFileSync(join(work, ".git/index"), "x");
    await ask();
  });

  it("because a folder looks like a repository", async () => {
    for (const name of ["HEAD", "objects/x", "refs/x", "index", "config"]) create(`src/${name}`);
    expect(await decided("git ls-files | xargs cat", join(work, "src"))).toBe("ask_user");
    rmSync(join(work, "src/HEAD"));
    expect(await decided("git ls-files | xargs cat", join(work, "src"))).toBe("allow");
    create("src/.git/index");
    expect(await decided("git ls-files | xargs cat", join(work, "src"))).toBe("ask_user");
  });

  it("because a link leads into another repository", async () => {
    const other = join(work, "other");
    execFileSync("git", ["init", "-q", other]);
    create("other/sub/.env");
    execFileSync("git", ["-C", other, "add", "-f", "."]);
    symlinkSync(join(other, "sub"), join(work, "link"));
    expect(await decided("git ls-files | xargs cat", join(work, "link"))).toBe("deny secret");
    expect(await decided("cd link && git ls-files | xargs cat")).toBe("deny secret");
  });

  it("because a tracked path is a link or a folder now", async () => {
    rmSync(join(work, "src/a.ts"));
    symlinkSync("../.env", join(work, "src/a.ts"));
    expect(await decided("git ls-files | xargs cat")).toBe("deny secret");
    rmSync(join(work, "src/a.ts"));
    create("src/a.ts/x");
    renameSync(join(work, ".env"), join(work, "src/a.ts/.env"));
    expect(await decided("git ls-files | xargs grep -r a")).toBe("ask_user");
    expect(await decided("git ls-files | xargs rm -r")).toBe("ask_user");
  });
});

describe("a list of git is another than it seems", () => {
  beforeEach(() => git("add", "-f", ".env"));

  it.each([
    "git ls-files -m -c | xargs cat",
    "git ls-files -d --cached | xargs cat",
    "git ls-files | xargs -I{} -n2 cat src/a.ts",
    "git ls-files | xargs -I{} -l cat src/a.ts",
    "git ls-files | xargs --replace=X --max-args=3 cat src/a.ts",
    "git ls-files | xargs -iX -I{} cat {}",
  ])("%s", async (line) => {
    expect(await decided(line)).not.toBe("allow");
  });

  it("because the operand is a repository of its own, or a link", async () => {
    create("sub/x.ts");
    create("sub/.env");
    git("add", "-f", "sub/x.ts");
    git("commit", "-qm", "y");
    expect(await decided("git ls-files sub | xargs cat")).toBe("allow");
    execFileSync("git", ["init", "-q", join(work, "sub")]);
    expect(await decided("git ls-files sub | xargs cat")).toBe("ask_user");
    rmSync(join(work, "sub/.git"), { recursive: true });
    renameSync(join(work, "sub"), join(work, "lib"));
    symlinkSync("lib", join(work, "sub"));
    expect(await decided("git ls-files sub | xargs cat")).toBe("ask_user");
  });
});

describe("a list of names that are not there any more", () => {
  it("is asked about if its folder is gone", async () => {
    create("sub/a .env b.md");
    git("add", ".");
    git("commit", "-qm", "y");
    renameSync(join(work, "sub"), join(work, "docs/sub"));
    for (const line of ["git ls-files sub | xargs cat", "git ls-files -d sub/x | xargs cat"])
      expect([line, await decided(line)]).toEqual([line, "ask_user"]);
  });

  it.each(["git add src", "git reset -q HEAD~1", "git checkout -q -b y"])(
    "is asked about after %s",
    async (first) => {
      create("a .env b.md");
      git("add", ".");
      git("commit", "-qm", "y");
      rmSync(join(work, "a .env b.md"));
      expect(await decided(`${first}; git ls-files '*.md' | xargs cat`)).toBe("ask_user");
    },
  );
});

describe("what looks like a list of tracked files is none", () => {
  it.each([
    "git diff -- --name-only docs | tail -n 1 | xargs cat",
    "git diff -- docs --name-only | head -2 | xargs cat",
    "git grep a -- --name-only docs | xargs cat",
    "git ls-files -- -z src | xargs cat",
    "git diff --cached --name-only --diff-filter=d --diff-filter=D | xargs cat",
    "git diff --staged --name-only --diff-filter=A --diff-filter=D | xargs cat",
  ])("if its options say otherwise: %s", async (line) => {
    git("add", "-f", ".env");
    git("commit", "-qm", "y");
    git("rm", "-q", "--cached", ".env");
    expect(await decided(line)).not.toBe("allow");
  });

  it("if the command looks into what it names", async () => {
    symlinkSync("..", join(work, "docs/up"));
    git("add", "docs/up");
    for (const list of [
      "git ls-files docs/up",
      "git ls-files docs",
      "find docs",
      "find docs -type l",
    ])
      expect([list, await decided(`${list} | xargs -I{} cat {}/.env`)]).not.toContain("allow");
    create("src/c/.env");
    rmSync(join(work, "src/a.ts"));
    renameSync(join(work, "src/c"), join(work, "src/a.ts"));
    expect(await decided("git ls-files src/a.ts | xargs -I{} cat {}/.env")).not.toBe("allow");
  });

  it.each(["@o.ts", "+x.ts", "h:x.ts"])("if a program may read %s as no file", async (name) => {
    const lines = ["git ls-files | xargs cat", "find . -name '*.ts' | xargs cat"];
    for (const line of lines) expect([line, await decided(line)]).toEqual([line, "allow"]);
    create(name);
    git("add", ".");
    for (const line of lines) expect([line, await decided(line)]).toEqual([line, "ask_user"]);
  });

  it.each(["@o.ts", "+x.ts", "h:x.ts"])("if the line makes %s first", async (name) => {
    const list = "rg --files -g '*.ts' | xargs wc";
    expect(await decided(`cp src/a.ts src/c.ts; ${list}`)).toBe("allow");
    expect(await decided(`cp src/a.ts ${name}; ${list}`)).toBe("ask_user");
  });

  it.each([
    "touch './a'*' .env x.ts'",
    "mkdir -p './a'*' .env x.ts'",
    "gzip -k ./a*.ts",
    "gcc -S 'src/a .env b.c'",
    "mktemp --suffix=' .env x.ts' -p .",
  ])("if the line makes names that are more than what it writes: %s", async (first) => {
    const open = createKernel({
      plugins: [
        policy({
          text: text.replace('"cat *"', '"cat *", "touch *", "gzip *", "gcc *", "mktemp *"'),
        }),
      ],
    });
    const { effect } = await open.decide(callOf(`${first}; find . -name '*.ts' | xargs cat`));
    expect(effect).toBe("ask_user");
  });

  it("if the line runs code that may make any name first", async () => {
    const list = "rg --files -g '*.ts' | xargs wc";
    expect(await decided(`eslint src; ${list}`)).toBe("ask_user");
    expect(await decided(`${list}; eslint src`)).toBe("allow");
  });

  it("if xargs sets a variable of its commands", async () => {
    for (const form of ["--process-slot-var=PATH", "--process-slot-var PATH"])
      expect(await decided(`git ls-files | xargs ${form} cat`)).toBe("ask_user");
  });
});

describe("a list says all that is meant", () => {
  const held = createKernel({
    plugins: [
      policy({
        text: `${text}[[rules]]\nname = "hidden"\naction = "deny"\npaths = ["secrets/**", "**/.codex/**"]\n`,
      }),
    ],
  });
  const effectOf = async (line: string): Promise<string> => {
    const { effect } = await held.decide(callOf(line));
    return effect;
  };

  it.each([
    "git ls-files | xargs cat",
    "git ls-files | xargs sed -i s/a/b/",
    "git diff --name-only | xargs prettier --write",
    "git ls-files | xargs cat; mkdir out",
  ])("and not what a deny holds that is not there: %s", async (line) => {
    expect(await effectOf(line)).toBe("allow");
    create("secrets/a.md");
    git("add", ".");
    create("secrets/a.md", "b\n");
    expect(await effectOf(line)).not.toBe("allow");
  });

  it.each([
    "cp docs/c.md src/c.md; git ls-files -z | xargs -0 cat",
    "mkdir out; git ls-files | xargs cat",
    "tee out.md | xargs cat; git ls-files | xargs cat",
    "find . -name '*.md' | xargs sed -i.x s/a/b/",
    "find . -name '*.md' -print0 | xargs -0 -n2 mv",
    "find . -name '*.md' -print0 | xargs -0 -n2 cp",
    "eslint src; git ls-files -z | xargs -0 cat",
  ])("but not if more may be there: %s", async (line) => {
    expect(await effectOf(line)).not.toBe("allow");
  });
});

describe("copies of listed files", () => {
  it.each([
    "git ls-files src | xargs cp -t lib",
    "git ls-files src | xargs cp -t a.dev",
    "git ls-files src | xargs -I{} cp {} .vscode",
    "find src -type f -exec cp {} .vscode \\;",
    "find src -type f -exec cp {} a.dev \\;",
    "find src -type f -print0 | xargs -0 cp -t ../a.dev",
    "grep -rl a src | xargs cp -t .cargo",
  ])("may have any name in the folder: %s", async (line) => {
    expect(await decided(line)).toBe("ask_user");
  });
});

describe("a list that leaves out files", () => {
  it.each([
    "rg -l --hidden a | xargs cat",
    "fd a | xargs cat",
    "find . -type f | grep b | xargs cat",
  ])("is asked about if a deny may be about one of them: %s", async (line) => {
    expect(await decided(line)).toBe("ask_user");
    rmSync(join(work, ".env"));
    expect(await decided(line)).toBe("allow");
  });

  it("is denied if it leaves out none", async () => {
    expect(await decided("find . -type f | xargs cat")).toBe("deny secret");
    expect(await decided("find . -type f | sort | xargs cat")).toBe("deny secret");
  });
});
