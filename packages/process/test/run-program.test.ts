import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { programEnvironment, runProgram } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { node, sh } from "./kit.ts";

describe("a program", () => {
  it("reports how the program ended, its output, and the digest of that", async () => {
    const end = await sh("printf out; printf err >&2; exit 3");
    const digest = (text: string): string =>
      `sha256:${createHash("sha256").update(text).digest("hex")}`;
    expect(end).toMatchObject({
      exit_code: 3,
      signal: null,
      timed_out: false,
      overflowed: false,
      error: null,
    });
    expect(end.stdout).toEqual({ text: "out", bytes: 3, digest: digest("out"), cut: false });
    expect(end.stderr).toEqual({ text: "err", bytes: 3, digest: digest("err"), cut: false });
  });

  it("passes the arguments unchanged, and the input or an empty one", async () => {
    const odd = ["$(touch planted)", "; touch planted", "*", "", "a\nb"];
    const cwd = temporaryFolder();
    const { stdout } = await sh("", {
      argv: [process.execPath, "-e", "console.log(JSON.stringify(process.argv.slice(1)))", ...odd],
      cwd,
    });
    expect(JSON.parse(stdout.text)).toEqual(odd);
    expect(existsSync(join(cwd, "planted"))).toBe(false);
    expect((await sh("cat", { stdin: "in" })).stdout.text).toBe("in");
    expect((await sh("cat; echo end")).stdout.text).toBe("end\n");
  });

  it("ends even if the program does not read its input, however long", async () => {
    expect(await sh("exit 0", { stdin: "x".repeat(5_000_000) })).toMatchObject({
      exit_code: 0,
      error: null,
    });
  });

  it.each([
    ["is missing", ["no-such-program-of-ours"], /^Cannot start .*(ENOENT|EACCES)/],
    ["is a folder", ["/"], /^Cannot start .*EACCES/],
    ["has no name", [""], /^Cannot start /],
    ["is missing", [], /^Cannot start /],
    ["has a zero byte in an argument", ["sh", "a\0b"], /^Cannot start /],
    [
      "has arguments longer than the system allows",
      ["sh", "x".repeat(3_000_000)],
      /^Cannot start .*E2BIG/,
    ],
  ])("that %s ends with an error", async (_, argv, error) => {
    expect(await sh("", { argv })).toMatchObject({
      exit_code: null,
      signal: null,
      error: expect.stringMatching(error),
    });
  });

  it("says if the folder is missing", async () => {
    expect(await sh("", { cwd: "/no-such-folder" })).toMatchObject({
      error: expect.stringContaining("no-such-folder"),
    });
  });

  it("distinguishes exit code 137 from a signal", async () => {
    expect(await sh("exit 137")).toMatchObject({ exit_code: 137, signal: null });
    expect(await sh("kill -9 $$")).toMatchObject({
      exit_code: null,
      signal: "SIGKILL",
      timed_out: false,
    });
  });
});

describe("its output", () => {
  it("is kept from the beginning, from the end, or from both with a line between", async () => {
    const digits = "for i in 0 1 2 3 4 5 6 7 8 9; do printf $i; done";
    const kept = async (keep: { first?: number; last?: number }): Promise<unknown> =>
      (await sh(digits, { keep: { stdout: keep } })).stdout;
    expect(await kept({ first: 4 })).toMatchObject({ text: "0123", bytes: 10, cut: true });
    expect(await kept({ last: 4 })).toMatchObject({ text: "6789", cut: true });
    expect(await kept({ first: 2, last: 3 })).toMatchObject({
      text: "01\n[5 bytes left out]\n789",
      cut: true,
    });
    expect(await kept({ first: 5, last: 5 })).toMatchObject({ text: "0123456789", cut: false });
    expect(await kept({})).toMatchObject({ text: "", bytes: 10, cut: true });
  });

  it("may be other than UTF-8, and is not cut inside a character", async () => {
    expect((await sh("printf 'a\\377\\300b'")).stdout).toMatchObject({
      text: "a\ufffd\ufffdb",
      bytes: 4,
    });
    const euro = "printf '\\342\\202\\254\\342\\202\\254'";
    expect((await sh(euro, { keep: { stdout: { first: 4 } } })).stdout).toMatchObject({
      text: "€",
      cut: true,
    });
    expect((await sh(euro, { keep: { stdout: { last: 4 } } })).stdout).toMatchObject({
      text: "€",
      cut: true,
    });
  });

  it("is reported in whole characters, even if it ends in the middle of one", async () => {
    let told = "";
    const split =
      "process.stdout.write(Buffer.from([0xe2, 0x82]), () => setImmediate(() => process.stdout.write(Buffer.from([0xac, 0xe2]))))";
    await node(split, { onOutput: (name, text) => (told += `${name}:${text};`) });
    expect(told.replaceAll(/;?stdout:/g, "")).toBe("€\ufffd;");
  });

  it("ends the program if it is too long, without keeping it", async () => {
    const end = await sh("yes", { maxOutput: 1_000_000, keep: { stdout: { first: 10 } } });
    expect(end).toMatchObject({
      exit_code: null,
      signal: "SIGKILL",
      overflowed: true,
      timed_out: false,
    });
    expect(end.stdout.text).toBe("y\ny\ny\ny\ny\n");
  });

  it("may end long before the program", async () => {
    expect(await sh("exec >&- 2>&-; sleep 0.2; exit 4")).toMatchObject({ exit_code: 4 });
  });

  it("ends the program if `onOutput` throws, with that error", async () => {
    const mistake = new Error("cannot");
    const telling = sh("yes", {
      onOutput: () => {
        throw mistake;
      },
    });
    await expect(telling).rejects.toBe(mistake);
  });
});

describe("its environment", () => {
  it("has a few standard variables, the named ones, and those that are set", async () => {
    const given = {
      HOME: "/h",
      PATH: "/usr/bin:/bin",
      GITHUB_TOKEN: "s",
      NODE_OPTIONS: "--x",
      LD_PRELOAD: "/x.so",
      BASH_ENV: "x",
      ASKED: "a",
    };
    const env = programEnvironment({ given, names: ["ASKED", "MISSING"], set: { HOME: "/other" } });
    expect(env).toEqual({ HOME: "/other", PATH: "/usr/bin:/bin", ASKED: "a" });
    const { stdout } = await sh("", { argv: ["/usr/bin/env"], env });
    expect(
      stdout.text
        .replace(/BYLAW_PROCESS=[\w -]+\n/, "")
        .trim()
        .split("\n")
        .sort(),
    ).toEqual(["ASKED=a", "HOME=/other", "PATH=/usr/bin:/bin"]);
  });

  it("does not find programs that an agent could have written: by relative path, in the workspace, or behind a link into it", () => {
    const [workspace, elsewhere] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(workspace, "node_modules/.bin"), { recursive: true });
    symlinkSync(join(workspace, "node_modules/.bin"), join(elsewhere, "bin"));
    const given = {
      PATH: [
        ".",
        "",
        "bin",
        workspace,
        join(workspace, "node_modules/.bin"),
        join(elsewhere, "bin"),
        "/no/such",
        "/bin",
      ].join(":"),
    };
    expect(programEnvironment({ workspace, given })["PATH"]).toBe("/bin");
    expect(programEnvironment({ workspace, given, names: ["PATH"] })["PATH"]).toBe(given.PATH);
  });

  it("does not find the first program in the workspace either", async () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "mine"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
    const env = programEnvironment({ workspace, given: { PATH: `${workspace}:/bin` } });
    expect(
      (await runProgram({ argv: ["mine"], cwd: workspace, env, timeoutMs: 60_000 })).error,
    ).toMatch(/ENOENT|EACCES/);
    expect(
      (await runProgram({ argv: ["./mine"], cwd: workspace, env, timeoutMs: 60_000 })).stdout.text,
    ).toBe("mine\n");
  });
});
