import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { canContain, canLimit } from "@bylaw/process";
import { callTool, toolNamed, workspaceTools } from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { folder, toolsIn } from "./kit.ts";

describe("bash", () => {
  it("runs a line in a folder of the workspace, and reports its output and how it ended", async () => {
    const call = toolsIn(folder({ "sub/x": "" }));
    const answer = await call("bash", {
      command: "echo out; echo err >&2; ls; exit 3",
      cwd: "sub",
    });
    expect(answer).toMatchObject({
      status: "completed",
      exit_code: 3,
      signal: null,
      stdout: "out\nx\n",
      stderr: "err\n",
      truncated: false,
    });
    expect(await call("bash", { command: "cat" })).toMatchObject({ exit_code: 0, stdout: "" });
  });

  it("gets neither the environment of this process nor the startup files of a shell", async () => {
    const root = folder({
      ".bashrc": "echo planted",
      ".profile": "echo planted",
      env: "echo planted",
    });
    const given = {
      BYLAW_JWT_SECRET: "s1",
      BYLAW_OPERATOR_TOKEN: "s2",
      BASH_ENV: join(root, "env"),
      ENV: join(root, "env"),
      HANDED_ON: "yes",
    };
    const before = { ...process.env };
    Object.assign(process.env, given, { "BASH_FUNC_ls%%": "() { echo planted; }" });
    try {
      const { stdout } = await toolsIn(root, { programs: { env: ["HANDED_ON"] } })("bash", {
        command: "ls; env",
      });
      for (const text of ["s1", "s2", "planted", "BASH_ENV"])
        expect(stdout.split(/[\n=]/)).not.toContain(text);
      expect(stdout).toContain("HANDED_ON=yes");
    } finally {
      for (const name of [...Object.keys(given), "BASH_FUNC_ls%%"])
        if (!(name in before)) Reflect.deleteProperty(process.env, name);
    }
  });

  it.runIf(canContain())(
    "sees no other process and no hidden place, with any program",
    async () => {
      const root = folder({ "data/key": "what nobody may see", "in.txt": "in" });
      const call = toolsIn(root, { hidden: ["data"] });
      const ways = [
        "cat data/key",
        "cat /proc/[0-9]*/environ",
        "strings /proc/$PPID/environ",
        `ls /proc/${process.pid}`,
        "umount data; cat data/*",
      ];
      const { stdout } = await call("bash", {
        command: `${ways.join("; ")}; cat in.txt; kill -9 ${process.pid} ${process.ppid}`,
      });
      expect(stdout).toMatch(/in$/);
      expect(stdout).not.toContain("what nobody may see");
      expect(stdout).not.toContain(`VITEST`);
    },
  );

  it("does not run if it must be contained and cannot be", async () => {
    const here = toolsIn(folder(), { programs: { contain: "always" } })("bash", {
      command: "echo ran",
    });
    if (canContain()) expect(await here).toMatchObject({ stdout: "ran\n" });
    else await expect(here).rejects.toFailWith("BYLAW_PROGRAM_FAILED");
    expect(
      await toolsIn(folder(), { programs: { contain: "never", allowRoot: true } })("bash", {
        command: "echo ran",
      }),
    ).toMatchObject({ stdout: "ran\n" });
  });

  it("does not find a program of an agent by name", async () => {
    const root = folder({ "bin/ls": "#!/bin/sh\necho planted\n" });
    chmodSync(join(root, "bin/ls"), 0o755);
    const before = process.env["PATH"];
    process.env["PATH"] = `${join(root, "bin")}:.:${before}`;
    try {
      expect((await toolsIn(root)("bash", { command: "ls" })).stdout).toBe("bin\n");
    } finally {
      process.env["PATH"] = before ?? "";
    }
  });

  it("answers with both ends of a long output, and ends programs that print or run too long", async () => {
    const call = toolsIn(folder(), { programs: { maxOutput: 100_000, maxTimeout: 5 } });
    const { stdout, truncated } = await call("bash", {
      command: "echo first; for i in {1..9000}; do echo $i; done; echo last",
    });
    expect(stdout).toMatch(/^first\n[^]*\[\d+ bytes left out\][^]*\nlast\n$/);
    expect(truncated).toBe(true);
    expect(await call("bash", { command: "yes" })).toMatchObject({
      status: "overflowed",
      exit_code: null,
    });
    expect(await call("bash", { command: "echo begun; sleep 1000", timeout: 2 })).toMatchObject({
      status: "timed_out",
      stdout: "begun\n",
    });
    for (const timeout of [6, 0, -1, Infinity])
      await expect(call("bash", { command: "ls", timeout })).rejects.toFailWith(
        "BYLAW_TOOL_ARGUMENTS_INVALID",
      );
  });

  it("leaves nothing running, in any session, after it ends or is aborted", async () => {
    const root = folder();
    const isGone = (name: string): boolean => {
      try {
        return /^State:\s+[ZX]/m.test(
          readFileSync(`/proc/${readFileSync(join(root, name), "utf8").trim()}/status`, "utf8"),
        );
      } catch {
        return true;
      }
    };
    // Contained, they would have other process ids.
    const programs = { contain: "never", allowRoot: true } as const;
    await toolsIn(root, { programs })("bash", {
      command:
        "setsid sh -c 'echo $$ > a; exec sleep 1000' & while ! [ -s a ]; do sleep 0.01; done",
    });
    if (process.platform === "linux") await expect.poll(() => isGone("a")).toBe(true);
    const leave = new AbortController();
    const left = toolsIn(
      root,
      { programs },
      { signal: leave.signal },
    )("bash", { command: "echo $$ > b; exec sleep 1000" });
    await expect
      .poll(() => existsSync(join(root, "b")) && readFileSync(join(root, "b"), "utf8"))
      .toMatch(/\d\n/);
    leave.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    if (process.platform === "linux") await expect.poll(() => isGone("b")).toBe(true);
  });

  it.runIf(canLimit())("holds each program to its limits", async () => {
    const call = toolsIn(folder(), {
      programs: { limits: { memory: 256 * 1024 ** 2, file: 4_096 } },
    });
    const hog = `${JSON.stringify(process.execPath)} -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))'`;
    expect((await call("bash", { command: `${hog}; echo over` })).stdout).toContain("over");
    await call("bash", { command: "yes > large" });
    expect((await call("bash", { command: "wc -c < large" })).stdout.trim()).toBe("4096");
  });

  it("starts the command that its carrier wraps around it", async () => {
    const call = toolsIn(folder(), {
      programs: { wrap: (argv, { agent }) => ["/usr/bin/env", `WHO=${agent}`, ...argv] },
    });
    expect((await call("bash", { command: "echo $WHO" })).stdout).toBe("ann\n");
    const missing = toolsIn(folder(), { programs: { wrap: () => ["/no/such/box"] } });
    await expect(missing("bash", { command: "ls" })).rejects.toFailWith("BYLAW_PROGRAM_FAILED");
  });
});

describe("git_commit", () => {
  const repository = (files: Readonly<Record<string, string>> = {}): string => {
    const root = folder(files);
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: root });
    return root;
  };
  const git = (root: string, ...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  /** A repository with one commit, for tests of the next one. */
  const committed = (files: Readonly<Record<string, string>>): string => {
    const root = repository(files);
    git(root, "add", "--all");
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "First");
    return root;
  };

  it("commits all changes, or some of them, in the name of the agent", async () => {
    const root = repository({ a: "1", "b/c": "2", "b/d": "3" });
    const call = toolsIn(root);
    const { commit } = await call("git_commit", {
      message: "First\n\n--amend is no option here",
      paths: ["a", "b/c"],
    });
    expect(git(root, "log", "-1", "--format=%H %an %ae %cn")).toBe(
      `${commit} ann ann@agents.invalid ann`,
    );
    expect(git(root, "show", "--name-only", "--format=%B")).toBe(
      "First\n\n--amend is no option here\n\n\na\nb/c",
    );
    await call("git_commit", { message: "Rest" });
    expect(git(root, "status", "--short")).toBe("");
    await expect(call("git_commit", { message: "None" })).rejects.toThrow(/nothing to commit/);
  });

  it("commits only the named files, as they are, whatever was staged before", async () => {
    const root = committed({ a: "shown", b: "b" });
    writeFileSync(join(root, "a"), "staged");
    writeFileSync(join(root, "b"), "staged too");
    git(root, "add", "--all");
    writeFileSync(join(root, "a"), "as it is");
    await toolsIn(root)("git_commit", { message: "Second", paths: ["a"] });
    expect(git(root, "show", "HEAD:a")).toBe("as it is");
    expect(git(root, "show", "HEAD:b")).toBe("b");
  });

  it("commits files as they are even if the index says not to check them", async () => {
    for (const mark of ["--assume-unchanged", "--skip-worktree"])
      for (const named of [{}, { paths: ["a"] }])
        for (const first of [true, false]) {
          const root = first ? repository({ a: "shown" }) : committed({ a: "shown", b: "b" });
          writeFileSync(join(root, "a"), "staged");
          git(root, "add", "--all");
          git(root, "update-index", mark, "a");
          writeFileSync(join(root, "a"), "as it is");
          await toolsIn(root)("git_commit", { message: "Second", ...named });
          expect(git(root, "show", "HEAD:a"), `${mark} ${JSON.stringify(named)} ${first}`).toBe(
            "as it is",
          );
          expect(git(root, "status", "--short")).toBe("");
        }
  });

  describe("in a sparse checkout", () => {
    const sparse = (...set: readonly string[]): string => {
      const root = committed({ top: "1", "in/a": "1", "in/b": "1", "out/a": "1", "out/b": "1" });
      git(root, "sparse-checkout", "set", ...set);
      expect(existsSync(join(root, "out"))).toBe(false);
      return root;
    };
    const KINDS = [
      ["--cone", "in"],
      ["--sparse-index", "in"],
      ["--no-cone", "/*", "!/out/"],
    ] as const;
    const changes = (root: string): readonly string[] =>
      git(root, "show", "--name-status", "--format=").replaceAll("\t", " ").split("\n");

    it("commits all existing files, and does not delete files that were left out", async () => {
      for (const kind of KINDS) {
        const root = sparse(...kind);
        const call = toolsIn(root);
        mkdirSync(join(root, "out"));
        writeFileSync(join(root, "out/b"), "2");
        writeFileSync(join(root, "out/new"), "2");
        writeFileSync(join(root, "in/a"), "2");
        rmSync(join(root, "in/b"));
        await call("git_commit", { message: "All" });
        expect(changes(root), kind[0]).toEqual(["M in/a", "D in/b", "M out/b", "A out/new"]);
        expect(git(root, "ls-tree", "-r", "--name-only", "HEAD")).toBe(
          "in/a\nout/a\nout/b\nout/new\ntop",
        );
        expect([git(root, "status", "--short"), git(root, "ls-files", "-t", "out/a")]).toEqual([
          "",
          "S out/a",
        ]);
        for (const path of ["in/a", "out/b", "out/new"]) writeFileSync(join(root, path), "3");
        await call("git_commit", { message: "Some", paths: ["out/b", "in"] });
        expect(changes(root)).toEqual(["M in/a", "M out/b"]);
        // Nobody can tell whether a missing file was deleted.
        await expect(call("git_commit", { message: "None", paths: ["out/a"] })).rejects.toFailWith(
          "BYLAW_PROGRAM_FAILED",
        );
        expect(git(root, "status", "--short")).toBe("M out/new");
      }
    });

    it("checks every existing file, whatever the index and the settings say", async () => {
      for (const kind of KINDS)
        for (const named of [{}, { paths: ["out"] }]) {
          const root = sparse(...kind);
          mkdirSync(join(root, "out"));
          writeFileSync(join(root, "out/a"), "2");
          git(root, "config", "sparse.expectFilesOutsideOfPatterns", "true");
          git(root, "update-index", "--skip-worktree", "out/a");
          await toolsIn(root)("git_commit", { message: "Second", ...named });
          expect(changes(root), kind[0]).toEqual(["M out/a"]);
          expect(git(root, "show", "HEAD:out/a")).toBe("2");
        }
    });

    it("needs no object of files that are left out, which may be elsewhere", async () => {
      const far = sparse("--cone", "in");
      git(far, "config", "uploadpack.allowFilter", "true");
      const root = folder();
      git(root, "clone", "--quiet", "--filter=blob:none", "--sparse", `file://${far}`, "near");
      const near = join(root, "near");
      git(near, "sparse-checkout", "set", "in");
      rmSync(far, { recursive: true });
      writeFileSync(join(near, "in/a"), "2");
      await toolsIn(near)("git_commit", { message: "Second" });
      expect(git(near, "diff-tree", "--raw", "--name-only", "HEAD~", "HEAD")).toBe("in");
    });

    it("can make the first commit", async () => {
      const root = repository({ "in/a": "1", "out/a": "1" });
      git(root, "sparse-checkout", "set", "in");
      mkdirSync(join(root, "out"), { recursive: true });
      writeFileSync(join(root, "out/a"), "1");
      await toolsIn(root)("git_commit", { message: "First" });
      expect(git(root, "ls-tree", "-r", "--name-only", "HEAD")).toBe("in/a\nout/a");
    });
  });

  it("starts no hook and no other program of the repository, unless its carrier allows hooks", async () => {
    const root = repository({ a: "1", ".husky/pre-commit": "#!/bin/sh\ntouch hooked\n" });
    const plant = `#!/bin/sh\ntouch ${JSON.stringify(join(root, "planted"))}\n`;
    for (const hook of readCases<string>(import.meta, "hooks"))
      writeFileSync(join(root, ".git/hooks", hook), plant, { mode: 0o755 });
    chmodSync(join(root, ".husky/pre-commit"), 0o755);
    writeFileSync(join(root, ".git/monitor"), plant, { mode: 0o755 });
    for (const [key, value] of [
      ["core.fsmonitor", join(root, ".git/monitor")],
      ["commit.gpgSign", "true"],
      ["gpg.program", join(root, ".git/monitor")],
      ["core.editor", join(root, ".git/monitor")],
      // Hooks of git 2.54 and later.
      ["hook.One.more.command", join(root, ".git/monitor")],
      ["hook.One.more.event", "post-commit"],
    ] as const)
      git(root, "config", key, value);
    await toolsIn(root)("git_commit", { message: "First" });
    git(root, "config", "core.hooksPath", ".husky");
    writeFileSync(join(root, "a"), "2");
    await toolsIn(root)("git_commit", { message: "Second" });
    expect(existsSync(join(root, "planted"))).toBe(false);
    expect(existsSync(join(root, "hooked"))).toBe(false);
    writeFileSync(join(root, "a"), "3");
    await toolsIn(root, { programs: { gitHooks: true } })("git_commit", { message: "Third" });
    expect(existsSync(join(root, "hooked"))).toBe(true);
  });

  it("does not fetch missing objects, because that would start programs that the repository names", async () => {
    const root = committed({ a: "1" });
    const tree = git(root, "rev-parse", "HEAD^{tree}");
    rmSync(join(root, ".git/objects", tree.slice(0, 2), tree.slice(2)));
    writeFileSync(
      join(root, ".git/plant"),
      `#!/bin/sh\ntouch ${JSON.stringify(join(root, "planted"))}\n`,
      { mode: 0o755 },
    );
    for (const [key, value] of [
      ["core.repositoryFormatVersion", "1"],
      ["extensions.partialClone", "far"],
      ["remote.far.promisor", "true"],
      ["remote.far.url", `ext::${join(root, ".git/plant")}`],
      ["protocol.ext.allow", "always"],
    ] as const)
      git(root, "config", key, value);
    await expect(toolsIn(root)("git_commit", { message: "Second" })).rejects.toFailWith(
      "BYLAW_PROGRAM_FAILED",
    );
    expect(existsSync(join(root, "planted"))).toBe(false);
  });

  it("starts no filter that attributes name, and commits the files as they are", async () => {
    for (const kind of ["clean", "process"]) {
      const root = repository({
        "a.js": "1",
        "f.sh": "#!/bin/sh\ntouch planted\ncat\n",
        ".gitattributes": "*.js filter=One.more",
      });
      chmodSync(join(root, "f.sh"), 0o755);
      for (const driver of ["One.more", "two"]) {
        git(root, "config", `filter.${driver}.${kind}`, "./f.sh");
        git(root, "config", `filter.${driver}.required`, "true");
      }
      const call = toolsIn(root);
      await call("git_commit", { message: "First" });
      writeFileSync(join(root, ".git/info/attributes"), "* filter=two");
      writeFileSync(join(root, "a.js"), "2");
      await call("git_commit", { message: "Second", paths: ["a.js"] });
      expect(git(root, "show", "HEAD:a.js")).toBe("2");
      expect(existsSync(join(root, "planted")), kind).toBe(false);
      writeFileSync(
        join(root, ".git/config"),
        `${readFileSync(join(root, ".git/config"), "utf8")}\n[filter ""]\n\t${kind} = ./f.sh\n`,
      );
      writeFileSync(join(root, ".git/info/attributes"), "* filter=");
      writeFileSync(join(root, "a.js"), "2b");
      await call("git_commit", { message: "Nameless" });
      expect(existsSync(join(root, "planted")), kind).toBe(false);
      // A filter with this name cannot be turned off on a command line.
      git(root, "config", "filter.a=b.clean", "./f.sh");
      writeFileSync(join(root, ".git/info/attributes"), "* filter=a=b");
      writeFileSync(join(root, "a.js"), "3");
      await expect(call("git_commit", { message: "Third" })).rejects.toThrow(/filter/);
      expect(existsSync(join(root, "planted")), kind).toBe(false);
    }
  });

  it("takes paths literally, and refuses those of git or outside the workspace", async () => {
    const root = repository({ a: "1", "sub/b": "2" });
    const call = toolsIn(root);
    for (const path of [":(top)a", ":/a", "*", "-A", "--all", "missing"])
      await expect(call("git_commit", { message: "m", paths: [path] }), path).rejects.toFailWith(
        "BYLAW_PROGRAM_FAILED",
      );
    for (const path of [".git/config", "../x", "/etc/passwd"])
      await expect(call("git_commit", { message: "m", paths: [path] }), path).rejects.toFailWith(
        "BYLAW_PLACE_REFUSED",
      );
    expect(git(root, "rev-list", "--all", "--count")).toBe("0");
  });

  it("neither commits nor deletes hidden files", async () => {
    for (const contain of ["possible", "never"] as const) {
      const root = repository({ "data/key": "secret", "data/kept": "1", a: "1" });
      git(root, "add", "data/kept");
      git(root, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "Before");
      const call = toolsIn(root, {
        hidden: [join(root, "data")],
        programs: { contain, allowRoot: contain === "never" },
      });
      await call("git_commit", { message: "All" });
      writeFileSync(join(root, "a"), "2");
      await call("git_commit", { message: "Some", paths: ["."] });
      expect(git(root, "ls-tree", "-r", "--name-only", "HEAD")).toBe("a\ndata/kept");
      await expect(call("git_commit", { message: "Key", paths: ["data/key"] })).rejects.toFailWith(
        "BYLAW_PLACE_REFUSED",
      );
    }
  });

  it("finds no repository above the workspace", async () => {
    const root = repository();
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub/a"), "1");
    await expect(toolsIn(join(root, "sub"))("git_commit", { message: "m" })).rejects.toThrow(
      /not a git repository/,
    );
    symlinkSync(join(root, "sub"), join(root, "linked"));
    await expect(toolsIn(join(root, "linked"))("git_commit", { message: "m" })).rejects.toThrow(
      /not a git repository/,
    );
  });
});

it("tools that the carrier provides exist only then, and get the agent that asks", async () => {
  const names = (options?: Parameters<typeof workspaceTools>[0]): readonly string[] =>
    workspaceTools(options).map(({ name }) => name);
  const usual = readCases<string>(import.meta, "usual");
  expect(names()).toEqual(usual);
  const options = {
    runTests: async ({ agent, task }: { readonly agent: string; readonly task?: string }) => ({
      agent,
      task: task ?? null,
    }),
    ask: async ({
      question,
      options: choices,
    }: {
      readonly question: string;
      readonly options: readonly string[];
    }) => ({ question, choices }),
    web: { hosts: [] },
  };
  expect(names(options)).toEqual([...usual, "run_tests", "ask_user_question", "web_fetch"]);
  const call = (name: string, args: object): Promise<unknown> => {
    const tool = toolNamed(workspaceTools(options), name);
    if (tool === undefined) throw new Error(name);
    return callTool(tool, args, { agent: "ann", task: "t1" });
  };
  expect(await call("run_tests", {})).toEqual({ agent: "ann", task: "t1" });
  await expect(call("run_tests", { command: "true" })).rejects.toFailWith(
    "BYLAW_TOOL_ARGUMENTS_INVALID",
  );
  for (const input of [
    { question: "\u200b\u3164" },
    { question: "Which?", options: ["a", "\u2800"] },
  ])
    await expect(call("ask_user_question", input)).rejects.toFailWith(
      "BYLAW_TOOL_ARGUMENTS_INVALID",
    );
  await expect(call("git_commit", { message: "\u2060" })).rejects.toFailWith(
    "BYLAW_TOOL_ARGUMENTS_INVALID",
  );
  expect(await call("ask_user_question", { question: "Which?", options: ["a", "b"] })).toEqual({
    question: "Which?",
    choices: ["a", "b"],
  });
});
