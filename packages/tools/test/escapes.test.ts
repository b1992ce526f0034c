import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { messageOf } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { REFUSED, folder, toolsIn } from "./kit.ts";

// Either the path is refused, or the tool cannot use the file.
const NOT_ALLOWED: string = expect.stringMatching(
  /^BYLAW_(?:PLACE_REFUSED|FILE_UNFIT|TOOL_ARGUMENTS_INVALID)$/,
);
const SECRET = "what nobody may see";

/** A workspace next to an outside folder whose name begins like that of the workspace. */
function stage() {
  const home = folder({
    "work/in.txt": "in\n",
    "work/sub/deep.txt": "deep\n",
    "work-outside/secret.txt": SECRET,
  });
  const [root, outside] = [join(home, "work"), join(home, "work-outside")];
  symlinkSync(join(outside, "secret.txt"), join(root, "link"));
  symlinkSync(outside, join(root, "linked"));
  symlinkSync("../../work-outside", join(root, "sub", "up"));
  symlinkSync("in.txt", join(root, "inner"));
  symlinkSync("sub", join(root, "inner-folder"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("nowhere", join(root, "dangling"));
  return { home, root, outside };
}

/** Every tool that takes a path, with its arguments. */
const WAYS: readonly (readonly [tool: string, args: (path: string) => object])[] = [
  ["read_files", (path) => ({ path })],
  ["write_files", (path) => ({ path, content: "planted" })],
  ["write_files", (path) => ({ path, content: "planted", mode: "a" })],
  ["edit_files", (path) => ({ path, old_string: "w", new_string: "planted" })],
  ["grep", (path) => ({ pattern: "what", path })],
  ["glob", (path) => ({ pattern: "**", path })],
  ["search_codebase", (path) => ({ query: "what", path })],
  ["bash", (path) => ({ command: "echo planted > planted; ls", cwd: path })],
  ["git_commit", (path) => ({ message: "m", paths: [path] })],
];

const OUT = readCases<string>(import.meta, "out");

describe("a path that leads out of the workspace", () => {
  it.each(OUT.map((path) => [path.slice(0, 60), path]))(
    "%j is refused by every tool, and nothing is touched",
    async (_, path) => {
      const { root, home } = stage();
      const before = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
      const call = toolsIn(root);
      for (const [tool, args] of WAYS) {
        const answer = call(tool, args(path));
        await expect(answer, tool).rejects.toFailWith(NOT_ALLOWED);
        const error: unknown = await answer.catch((thrown: unknown) => thrown);
        expect(messageOf(error)).not.toContain(SECRET);
      }
      expect(readdirSync(home, { recursive: true, encoding: "utf8" }).sort()).toEqual(before);
    },
  );

  it("that is absolute is refused if it only begins like the workspace, and accepted if it is inside", async () => {
    const { root, home, outside } = stage();
    const call = toolsIn(root);
    await expect(call("read_files", { path: join(outside, "secret.txt") })).rejects.toMatchObject(
      REFUSED,
    );
    expect(await call("read_files", { path: join(root, "in.txt") })).toMatchObject({
      path: "in.txt",
    });
    // The workspace itself may be behind a link. Both its given path and its real path are accepted.
    symlinkSync(root, join(home, "as-named"));
    const named = toolsIn(join(home, "as-named/"));
    expect(await named("read_files", { path: join(home, "as-named/in.txt") })).toMatchObject({
      path: "in.txt",
    });
    expect(await named("read_files", { path: join(root, "sub/../in.txt") })).toMatchObject({
      path: "in.txt",
    });
  });
});

describe("a link", () => {
  const links = readCases<string>(import.meta, "links");
  it.each(links)(
    "%s is not followed by any tool, even if it leads to the workspace",
    async (path) => {
      const { root, outside } = stage();
      const call = toolsIn(root);
      for (const [tool, args] of WAYS.filter(([name]) => name !== "git_commit" && name !== "bash"))
        await expect(call(tool, args(path)), tool).rejects.toMatchObject({
          ...REFUSED,
          message: expect.stringContaining("is a link"),
        });
      if (path !== "dangling")
        await expect(call("bash", { command: "ls", cwd: path })).rejects.toFailWith(NOT_ALLOWED);
      expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
      expect(readdirSync(outside)).toEqual(["secret.txt"]);
      expect(existsSync(join(root, "nowhere"))).toBe(false);
    },
  );

  it("is not followed by a search either", async () => {
    const call = toolsIn(stage().root);
    expect((await call("glob", { pattern: "**" })).files).toEqual(["in.txt", "sub/deep.txt"]);
    expect((await call("grep", { pattern: "what" })).matches).toEqual([]);
    expect((await call("search_codebase", { query: "nobody secret" })).results).toEqual([]);
  });

  it("reports its target, so that the agent can use that path", async () => {
    const call = toolsIn(stage().root);
    await expect(call("read_files", { path: "inner" })).rejects.toMatchObject({
      message: "`inner` is a link to `in.txt`",
      fix: expect.stringContaining("the path that the link leads to"),
    });
  });
});

describe.runIf(process.platform === "linux")(
  "a program that swaps folders while tools work",
  () => {
    // A real program that repeatedly swaps a folder for a link that leads out. It removes what a tool put in the place.
    const swapper = (root: string, outside: string): string =>
      `const fs = require("fs"); const [a, b] = ${JSON.stringify([join(root, "spot"), join(root, "spare")])};
     const nap = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.2);
     const attempt = (step, or = () => {}) => { try { step(); } catch { or(); } };
     for (;;) {
       attempt(() => fs.renameSync(a, b));
       attempt(() => fs.symlinkSync(${JSON.stringify(outside)}, a));
       nap();
       attempt(() => fs.unlinkSync(a), () => fs.rmSync(a, { recursive: true, force: true }));
       attempt(() => fs.renameSync(b, a));
       nap();
     }`;

    it("cannot make a tool read or write outside", async () => {
      const { root, outside } = stage();
      mkdirSync(join(root, "spot"));
      writeFileSync(join(root, "spot/secret.txt"), "mine");
      const stop = new AbortController();
      const { runProgram, programEnvironment } = await import("@bylaw/process");
      const argv = [process.execPath, "-e", swapper(root, outside)];
      const swapping = runProgram({
        argv,
        cwd: root,
        env: programEnvironment(),
        timeoutMs: 60_000,
        signal: stop.signal,
      }).catch(() => {});
      const call = toolsIn(root);
      const seen = new Map<string, number>();
      for (let round = 0; round < 100; round += 1) {
        const results = await Promise.allSettled([
          call("read_files", { path: "spot/secret.txt" }).then(({ content }) => content),
          call("write_files", { path: "spot/secret.txt", content: "mine" }).then(() => "written"),
          call("grep", { pattern: "nobody", path: "spot" }).then(
            ({ matches }) => `grep ${matches.length}`,
          ),
          call("write_files", { path: `spot/new/${round}`, content: "mine" }).then(() => "made"),
        ]);
        for (const result of results) {
          const what = result.status === "fulfilled" ? result.value : "refused";
          seen.set(what, (seen.get(what) ?? 0) + 1);
        }
      }
      stop.abort();
      await swapping;
      expect(
        [...seen.keys()].filter(
          (what) => !["mine", "written", "made", "grep 0", "refused"].includes(what),
        ),
      ).toEqual([]);
      // Proves that the race happened: some calls succeeded and some were refused.
      expect(seen.get("refused")).toBeGreaterThan(0);
      expect(seen.get("written")).toBeGreaterThan(0);
      expect(readdirSync(outside)).toEqual(["secret.txt"]);
      expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
    });

    it("does not make the change of another call get lost", async () => {
      const root = folder({ list: "end\n" });
      const call = toolsIn(root);
      const numbers = Array.from({ length: 20 }, (_, number) => String(number));
      await Promise.all(
        numbers.flatMap((number) => [
          call("edit_files", { path: "list", old_string: "end\n", new_string: `${number}\nend\n` }),
          call("write_files", { path: "sub/../log", content: `${number}\n`, mode: "a" }),
        ]),
      );
      for (const [file, lines] of [
        ["list", [...numbers, "end"]],
        ["log", numbers],
      ] as const)
        expect(readFileSync(join(root, file), "utf8").trim().split("\n").sort()).toEqual(
          [...lines].sort(),
        );
      expect(readdirSync(join(root, ".bylaw/tmp"))).toEqual([".gitignore"]);
    });
  },
);

describe.runIf(process.platform !== "win32")("anything that is neither file nor folder", () => {
  it("is refused without waiting", async () => {
    const root = folder({ "in.txt": "in" });
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    const call = toolsIn(root);
    for (const path of ["pipe", "socket"])
      for (const [tool, args] of WAYS.filter(([name]) => !["git_commit", "bash"].includes(name)))
        await expect(call(tool, args(path)), `${tool} ${path}`).rejects.toMatchObject(REFUSED);
    expect((await call("grep", { pattern: "in" })).matches).toHaveLength(1);
    expect(await call("search_codebase", { query: "in" })).toMatchObject({ total: 1 });
    server.close();
  });

  it.runIf(process.getuid?.() === 0)("is refused if it is a device", async () => {
    const root = folder();
    execFileSync("sh", ["-c", 'mknod "$0" c 1 5', join(root, "zero")]);
    for (const [tool, args] of WAYS.filter(([name]) => !["git_commit", "bash"].includes(name)))
      await expect(toolsIn(root)(tool, args("zero")), tool).rejects.toMatchObject(REFUSED);
  });
});

describe("a protected place", () => {
  const OWN = readCases<string>(import.meta, "own");
  it.each(OWN)("%s cannot be written, appended to or edited", async (path) => {
    const root = folder({
      "contract.yaml": "phases",
      "rules/a.toml": "rules",
      ".git/config": "[core]",
      "kept/deep/x": "x",
    });
    const call = toolsIn(root, {
      protect: [join(root, "contract.yaml"), "rules", join(root, "kept/deep"), "/elsewhere"],
    });
    const before = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
    for (const [tool, args] of WAYS.filter(([name]) =>
      ["write_files", "edit_files"].includes(name),
    ))
      await expect(call(tool, args(path)), tool).rejects.toMatchObject(REFUSED);
    expect(readdirSync(root, { recursive: true, encoding: "utf8" }).sort()).toEqual(before);
    expect(readFileSync(join(root, "contract.yaml"), "utf8")).toBe("phases");
  });

  it("is recognised by any name: through links, with `..`, or from another name of the workspace", async () => {
    const home = folder({ "x/c.yaml": "phases", "x/data/key": SECRET, "x/in.txt": "in" });
    symlinkSync(join(home, "x"), join(home, "x-link"));
    for (const workspace of [join(home, "x"), join(home, "x-link"), `${join(home, "x-link")}/`])
      for (const by of ["x", "x-link"]) {
        const named = {
          hidden: [join(home, by, "data")],
          protect: [join(home, by, "c.yaml"), join(home, by, "new/deep/y")],
        };
        for (const [hidden, protect] of [
          [named.hidden, named.protect],
          [["./in.txt/../data/"], ["rules/../c.yaml", "../x/new//deep/y"]],
        ] as const) {
          const call = toolsIn(workspace, { hidden, protect });
          for (const root of ["", `${workspace}/`, join(home, "x/")]) {
            await expect(
              call("read_files", { path: `${root}data/key` }),
              `${workspace} ${root}`,
            ).rejects.toMatchObject(REFUSED);
            for (const path of ["data/key", "c.yaml", "new/deep/y"])
              await expect(
                call("write_files", { path: `${root}${path}`, content: "" }),
                path,
              ).rejects.toMatchObject(REFUSED);
            expect(await call("read_files", { path: `${root}in.txt` })).toMatchObject({
              status: "success",
            });
          }
          expect((await call("glob", { pattern: "**" })).files).toEqual(["c.yaml", "in.txt"]);
        }
      }
  });

  it("is recognised at its real place, and behind a link in the workspace", async () => {
    const root = folder({ "real/a.toml": "rules" });
    symlinkSync("real", join(root, "rules"));
    const call = toolsIn(root, { protect: ["rules"] });
    await expect(call("write_files", { path: "real/a.toml", content: "" })).rejects.toMatchObject(
      REFUSED,
    );
    unlinkSync(join(root, "rules"));
    await expect(call("write_files", { path: "rules/a.toml", content: "" })).rejects.toMatchObject(
      REFUSED,
    );
  });

  it("does not include names that only look like it", async () => {
    const call = toolsIn(folder(), { protect: ["rules"] });
    for (const path of readCases<string>(import.meta, "look-alikes"))
      expect(await call("write_files", { path, content: "" }), path).toMatchObject({
        status: "success",
      });
  });

  it("is not changed through a hard link: the write creates a separate file", async () => {
    const root = folder({ ".bylaw/policy.toml": "strict" });
    linkSync(join(root, ".bylaw/policy.toml"), join(root, "plain.txt"));
    await toolsIn(root)("write_files", { path: "plain.txt", content: "lax" });
    expect(readFileSync(join(root, ".bylaw/policy.toml"), "utf8")).toBe("strict");
  });

  it("is not created by creating its folder", async () => {
    const root = folder();
    await expect(
      toolsIn(root)("write_files", { path: "a/b/.git/hooks/x", content: "" }),
    ).rejects.toMatchObject(REFUSED);
    expect(readdirSync(root)).toEqual([]);
  });
});

it("a hidden place is neither read, listed, found nor written", async () => {
  const root = folder({
    "data/secret.key": SECRET,
    "data/deep/x": SECRET,
    "token.key": SECRET,
    "in.txt": "in",
  });
  const call = toolsIn(root, { hidden: [join(root, "data"), "token.key", "/elsewhere"] });
  for (const path of readCases<string>(import.meta, "hidden-files"))
    for (const [tool, args] of WAYS.filter(([name]) => name !== "git_commit"))
      await expect(call(tool, args(path)), `${tool} ${path}`).rejects.toMatchObject(REFUSED);
  expect((await call("glob", { pattern: "**" })).files).toEqual(["in.txt"]);
  expect((await call("grep", { pattern: "what" })).matches).toEqual([]);
  expect((await call("search_codebase", { query: "nobody token data" })).results).toEqual([]);
});

it("a place that became a link between two calls is refused in the second", async () => {
  const { root, outside } = stage();
  const call = toolsIn(root);
  expect(await call("write_files", { path: "sub/deep.txt", content: "one" })).toMatchObject({
    status: "success",
  });
  renameSync(join(root, "sub"), join(root, "gone"));
  symlinkSync(outside, join(root, "sub"));
  await expect(call("write_files", { path: "sub/deep.txt", content: "two" })).rejects.toMatchObject(
    REFUSED,
  );
  unlinkSync(join(root, "sub"));
  symlinkSync(join(outside, "secret.txt"), join(root, "in"));
  rmSync(join(root, "in.txt"));
  renameSync(join(root, "in"), join(root, "in.txt"));
  await expect(call("write_files", { path: "in.txt", content: "two" })).rejects.toMatchObject(
    REFUSED,
  );
  expect(lstatSync(join(root, "in.txt")).isSymbolicLink()).toBe(true);
});
