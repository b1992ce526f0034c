import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createKernel, type Decision, type ToolCall } from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";

const text = `
[[rules]]
name = "governing"
action = "deny"
tool = "*"
paths = { write = "**/guard.ts" }
[[rules]]
name = "deep"
action = "deny"
tool = "*"
paths = "src/deep/in/**"
[[rules]]
name = "files"
action = "allow"
command = ["cat *", "cd *", "cp *", "mkdir *", "touch *", "git *", "git add *", "git commit *", "git rm *", "gcc *", "grep *", "gunzip *", "mktemp *", "mv *", "rename *", "rm *", "rm -r *", "sed -i *", "sort *", "uniq *"]
paths = "**"
`;

let work = "";
beforeEach(() => {
  work = temporaryFolder();
  for (const path of ["src/a.ts", "src/b.ts", "lib/deep/c.md", "src/deep/in/d.md"]) create(path);
});

function create(path: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), "a\n");
}

function callOf(command: string): ToolCall {
  const kept = { cwd: work, workspace: work, home: "/home/dev" };
  return { hook: "beforeToolCall", tool: "bash", args: { command }, ...kept };
}

const kernel = createKernel({ plugins: [policy({ text })] });
const decide = async (command: string): Promise<Decision> => kernel.decide(callOf(command));
const decided = async (command: string): Promise<string> => {
  const { effect, code, rule } = await decide(command);
  return effect === "deny" && code !== "unknown_path" ? `deny ${rule?.name}` : effect;
};

describe("a glob means the names that exist", () => {
  const lines = readCases<string>(import.meta, "found");

  it.each(lines)("which a deny of writing is not about: %s", async (line) => {
    expect(await decided(line)).toBe("allow");
  });

  it.each(lines.filter((line) => line.includes("*.ts")))(
    "which a deny of writing is about: %s",
    async (line) => {
      create("src/guard.ts");
      expect(await decided(line)).toBe("deny governing");
    },
  );

  it("where letters may be in another case", async () => {
    create("src/guard.ts");
    expect(await decided("sed -i s/a/b/ src/*.TS")).toBe("deny governing");
  });

  it("as the last name", async () => {
    expect(await decided("cp src/*.ts")).toBe("allow");
    create("src/guard.ts");
    expect(await decided("cp src/*.ts")).toBe("deny governing");
  });

  it("and folders, alone or with everything below them", async () => {
    expect(await decided("cat lib/*")).toBe("allow");
    expect(await decided("cat src/*")).toBe("allow");
    for (const line of ["grep -r a src/*", "cp -r src/* out/", "mv src/d* out/", "rm -r src/*"])
      expect([line, await decided(line)]).toEqual([line, "ask_user"]);
    for (const line of ["grep -r a lib/*", "rm -r lib/*", "cp -r lib/d* lib/*"])
      expect([line, await decided(line)]).toEqual([line, "allow"]);
  });

  it("only folders, behind a slash", async () => {
    create("guard.ts");
    expect(await decided("sed -i s/a/b/ *")).toBe("deny governing");
    expect(await decided("sed -i s/a/b/ */")).toBe("allow");
    create("lib/guard.ts/x");
    expect(await decided("sed -i s/a/b/ lib/*/")).toBe("deny governing");
  });

  it("in a folder that is really named `~`", async () => {
    create("home/a.ts");
    create("~/guard.ts");
    const call = { ...callOf("sed -i s/a/b/ '~'/*.ts"), home: join(work, "home") };
    expect((await kernel.decide(call)).effect).toBe("deny");
  });

  it("in any number of folders, where the shell reads `**` so", async () => {
    expect(await decided("cat src/**/d.md")).toBe("deny deep");
    expect(await decided("cat ./**/d*.md")).toBe("deny deep");
    expect(await decided("cat src/***/d.md")).toBe("deny deep");
    expect(await decided("cat lib/**/*.md")).toBe("allow");
  });
});

describe("a deny may be about anything that a glob matches", () => {
  const line = "sed -i s/a/b/ src/*.ts";

  it.each([
    ["a link", () => symlinkSync("a.ts", join(work, "src/l.ts"))],
    ["a name like an option", () => create("src/-e.ts")],
    [
      "a name that is not UTF-8",
      () => execFileSync("bash", ["-c", "touch src/$'\\xff'.ts"], { cwd: work }),
    ],
    ["a name like an assignment", () => create("src/a=b.ts")],
    ["a name like a host", () => create("src/a:b.ts")],
    ["a name that is a glob", () => create("src/[gh]uard.ts")],
    [
      "more names than are listed",
      () => Array.from({ length: 251 }, (_, at) => create(`src/${at}.ts`)),
    ],
  ])("if it finds %s", async (_, prepare) => {
    expect(await decided(line)).toBe("allow");
    prepare();
    expect(await decided(line)).toBe("ask_user");
  });

  it("if a shell finds a name with a leading dot only with an option", async () => {
    create("src/.a.ts");
    expect(await decided(line)).toBe("allow");
    create("src/deep/e.ts");
    create("src/.x/a.ts");
    expect(await decided("sed -i s/a/b/ src/*/*.ts")).toBe("allow");
    create("src/.x/guard.ts");
    expect(await decided("sed -i s/a/b/ src/*/*.ts")).toBe("ask_user");
    // What lies below it, and what its copy would be, is not looked for.
    for (const other of ["cp -r src/* out/", "grep -r a src/*", "cp src/* lib/"])
      expect([other, await decided(other)]).toEqual([other, "ask_user"]);
  });

  it.each(readCases<[string, string]>(import.meta, "may-find-others"))(
    "%s: %s",
    async (_, command) => {
      expect(await decided(command)).toBe("ask_user");
    },
  );

  it("if a name could be an option, so the fix names the folder", async () => {
    const { effect, fix } = await decide("git -C lib rm *.ts");
    expect([effect, fix]).toEqual([
      "ask_user",
      "Write `./*.ts` for `*.ts`, or name the files one by one.",
    ]);
  });

  it("if it finds a link in a deeper folder", async () => {
    create("lib/deep/below/c.md");
    symlinkSync("/etc/hosts", join(work, "lib/deep/below/l.md"));
    const narrow = createKernel({ plugins: [policy({ text: text.replace('"**"', '"./**"') })] });
    expect((await narrow.decide(callOf("cat lib/**/*.md"))).effect).toBe("ask_user");
  });

  it("if nobody looked", () => {
    expect((kernel.decidePrepared(callOf(line)) as Decision).effect).toBe("ask_user");
  });
});

describe("the unquoted variable of a loop", () => {
  it.each(["src/a b.ts", "src/a\tb.ts", "src/[ab].ts"])(
    "is unknown if the shell splits a name: %s",
    async (name) => {
      const line = "touch src/c.ts; for f in src/*.ts; do cat $f; done";
      expect(await decided(line)).toBe("allow");
      create(name);
      expect(await decided(line)).toBe("ask_user");
      expect(await decided(line.replace("$f", '"$f"'))).toBe("allow");
    },
  );

  it.each([
    "touch 'src/a /etc/passwd.ts'; for f in src/*.ts; do cat $f; done",
    "for f in src/*.ts; do cat $f; touch 'src/a /etc/passwd.ts'; done",
    "for f in src/*.ts; do cat -$f; done",
    "for f in src/*.ts; do cat $f/..; done",
    "for f in src/*.ts; do cd src; cat $f; done",
    "for f in $(cat list); do cat $f; done",
    "for f in src/*.ts; do for f in /etc/*; do cat $f; done; done",
  ])("is unknown in %s", async (line) => {
    expect(await decided(line)).toBe("ask_user");
  });

  it("is unknown without the host's facts", () => {
    const call = callOf("for f in src/*.ts; do cat $f; done");
    expect((kernel.decidePrepared(call) as Decision).effect).toBe("ask_user");
  });
});

describe("a glob that begins with a wildcard", () => {
  const lines = readCases<string>(import.meta, "counted");
  beforeEach(() => {
    for (const name of ["a.md", "b.md"]) create(name);
  });

  it.each(lines)("is covered if no name may be an option: %s", async (line) => {
    expect(await decided(line)).toBe("allow");
    for (const folder of ["", "src/"]) for (const end of ["md", "ts"]) create(`${folder}-e.${end}`);
    expect(await decided(line)).not.toBe("allow");
  });

  it.each(readCases<string>(import.meta, "not-covered"))(
    "is not covered if one could come first, or be elsewhere: %s",
    async (line) => {
      create("src/-x.md");
      expect(await decided(line)).not.toBe("allow");
    },
  );

  it.each(["@o.md", "+x.md"])(
    "is not covered if a program may read %s as no file",
    async (name) => {
      expect(await decided("grep a *.md")).toBe("allow");
      create(name);
      expect(await decided("grep a *.md")).not.toBe("allow");
    },
  );

  it("is still held against denies of words", async () => {
    const [allowed, denied] = ["allow", "deny"].map(
      (action) => `[[rules]]\nname = "${action}"\naction = "${action}"\n`,
    );
    const text = `${allowed}command = "git add *"\n${denied}command = "git add a.md"\n`;
    const { effect } = await createKernel({ plugins: [policy({ text })] }).decide(
      callOf("git add *.md"),
    );
    expect(effect).not.toBe("allow");
  });
});

describe("the names that are listed", () => {
  it("may be composed or not", async () => {
    create("src/caf\u0065\u0301/guard.ts");
    expect(await decided("sed -i s/a/b/ src/*\u00e9/*.ts")).toBe("deny governing");
  });

  it("take nothing from the limit for links", async () => {
    for (let at = 0; at < 5100; at++) create(`many/${at}.md`);
    expect(await decided("cat many/*.ts src/*.ts")).toBe("allow");
  });

  // A generator of numbers, so that a failure can be repeated.
  let seed = 7;
  const below = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * limit);
  };
  const pick = (all: readonly string[]): string => all[below(all.length)] ?? "";
  const NAMES = ["a", "b", "ab.ts", "B.TS", ".h", "a b", "é.ts", "-x", "ba", "x.y.ts"];
  const PARTS = ["*", "a*", "*.ts", "?", "[ab]*", "**", "b", "*b*", ".*", "*.*.ts", "a\\ *"];

  it("are all that bash finds, in generated folders", async () => {
    let listed = 0;
    for (let round = 0; round < 60; round++) {
      const root = `r${round}`;
      for (let at = 0; at < 8; at++) {
        const names = Array.from({ length: 1 + below(3) }, () => pick(NAMES));
        try {
          create(`${root}/${names.join("/")}`);
        } catch {
          // A file already has the name of the folder.
        }
      }
      for (let at = 0; at < 6; at++) {
        const parts = Array.from({ length: 1 + below(3) }, () => pick(PARTS));
        const glob = `${root}/${parts.join("/")}`;
        const { facts } = await kernel.prepare(callOf(`cat ${glob}`));
        type Listed = { matches?: string[][]; hidden?: string[][] };
        const [stamp] = Object.values(facts ?? {}) as { globs?: Listed[] }[];
        const { matches: visible, hidden = [] } = stamp?.globs?.[0] ?? {};
        if (visible === undefined) continue;
        listed += 1;
        for (const option of ["globstar", "dotglob", "nullglob"]) {
          const matches = [...visible, ...(option === "dotglob" ? hidden : [])].flat();
          const script = `shopt -s nullglob ${option}; printf '%s\\n' ${glob}`;
          const found = execFileSync("bash", ["-c", script], { cwd: work, encoding: "utf8" });
          for (const name of found.split("\n").filter((one) => one !== ""))
            expect(matches, glob).toContain(join(work, name).replace(/\/$/, ""));
        }
      }
    }
    expect(listed).toBeGreaterThan(40);
  }, 60_000);
});
