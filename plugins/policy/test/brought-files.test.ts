import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createKernel, type Decision } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";
import { rule } from "./kit.ts";

const text = [
  rule("hooks", "ask_user", 'paths = { write = ["**/.husky/**"] }'),
  rule("git", "deny", 'paths = { write = ["**/.git/**"] }'),
  rule("daily", "allow", 'command = ["{cp,mv,cd,mkdir,touch,npm} *"]'),
].join("");

let work = "";
let other = "";
beforeEach(() => {
  work = temporaryFolder();
  other = temporaryFolder();
  for (const path of [join(work, "src/a.ts"), join(other, "lib/b.ts")]) create(path);
});

function create(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "a\n");
}

const kernel = createKernel({ plugins: [policy({ text })] });
const decide = async (command: string): Promise<Decision> =>
  kernel.decide({
    ...{
      hook: "beforeToolCall",
      tool: "bash",
      args: { command: command.replaceAll("OTHER", other) },
    },
    ...{ cwd: work, workspace: work, home: "/home/dev" },
  });
const run = async (command: string): Promise<string> => (await decide(command)).effect;

const BRINGS = [
  "cp -r OTHER/lib src",
  "cp -a OTHER/lib/ src",
  "cp -R OTHER/lib src/a.ts src",
  "cp -r -t src OTHER/lib",
  "cp -r OTHER/* src",
  "mv OTHER/lib src",
  "cd src && cp -r OTHER/lib .",
];

describe("a folder from outside the workspace", () => {
  it.each(BRINGS)("is allowed if no rule guards a file in it: %s", async (line) => {
    expect(await run(line)).toBe("allow");
  });

  it.each(BRINGS)("is asked about if a rule guards a file in it: %s", async (line) => {
    create(join(other, "lib/deep/.husky/pre-commit"));
    expect(await run(line)).toBe("ask_user");
  });

  it("is asked about with a repository, and the reason names the copy", async () => {
    create(join(other, "lib/.git/config"));
    expect(await decide("cp -r OTHER/lib src")).toMatchObject({
      effect: "ask_user",
      reason: expect.stringContaining("which may use `src/.git`"),
    });
    expect(await run("cp OTHER/lib/b.ts src")).toBe("allow");
    expect(await run("cp -r src lib")).toBe("allow");
  });

  it("is asked about behind a link, and if the line fills it first", async () => {
    symlinkSync(join(other, "lib"), join(work, "vendor"));
    create(join(other, "lib/.husky/pre-commit"));
    expect(await run("cp -r vendor/ src")).toBe("ask_user");
    expect(await run("cp -r OTHER/new src")).toBe("allow");
    expect(await run("cp -r src OTHER/new && cp -r OTHER/new src")).toBe("ask_user");
    expect(await run("touch OTHER/a && cp -r OTHER/new src")).toBe("allow");
  });

  it.each([
    "touch OTHER/new/F && cp -r OTHER/new src",
    "mkdir -p OTHER/new/.h && cp -r OTHER/new src",
    "touch OTHER/x/../new/F && cp -r OTHER/new/ src",
    "cd OTHER && touch new/F && cp -r OTHER/new src",
    "cp src/a.ts OTHER/new && mv OTHER/new src",
  ])("is asked about if the line writes one file in it: %s", async (line) => {
    expect(await run(line)).toBe("ask_user");
  });

  it("is allowed if the line writes beside it, or the source itself", async () => {
    expect(await run("touch OTHER/new && mv OTHER/new src/b.ts")).toBe("allow");
    expect(await run("touch OTHER/newer && cp -r OTHER/new src")).toBe("allow");
    expect(await run("mkdir -p OTHER && cp -r OTHER/new src")).toBe("allow");
  });
});
