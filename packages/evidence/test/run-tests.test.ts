import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canContain, isRoot, NOBODY } from "@bylaw/process";
import { runTests } from "../src/index.ts";
import { NODE, command, folder, give, linkModules, nodeTest, put } from "./kit.ts";

const SUITE = `import test, { describe, it } from "node:test";
import assert from "node:assert";
test("top", () => assert.equal(1, 2));
describe("outer", () => {
  it("in", () => {});
  it("skipped", { skip: true }, () => {});
  describe("inner", () => { it("bad", () => assert.ok(false)); it("in", { todo: true }, () => {}); });
});
`;
const VITEST = `import { describe, it, expect, test } from "vitest";
test("top", () => expect(1).toBe(2));
describe("outer", () => { it("in", () => {}); it.skip("skipped", () => {}); it.todo("later"); describe("inner", () => { it("bad", () => { throw new Error("x"); }); }); });
`;
const LOST = 'import "./missing.js";\n';

const vitest = (format: "json" | "junit"): ReturnType<typeof command> =>
  command(
    [
      NODE,
      "node_modules/vitest/vitest.mjs",
      "run",
      "--root",
      ".",
      `--reporter=${format}`,
      `--outputFile=report.${format}`,
    ],
    { format, report: `report.${format}` },
  );

describe("a run of real tests", () => {
  it.each(["tap", "junit"] as const)(
    "of node:test says test by test what came of it (%s)",
    async (format) => {
      const workspace = folder({
        "package.json": '{"type":"module"}',
        "tests/a.test.js": SUITE,
        "tests/b.test.js": LOST,
      });
      const ran = await runTests(nodeTest(format, `report.${format}`), { workspace });
      const at = format === "junit" ? "tests/a.test.js > " : "";
      expect(ran).toMatchObject({
        exit_code: 1,
        signal: null,
        timed_out: false,
        report_error: null,
        counts: { passed: 1, failed: 2, skipped: 2, errors: 1 },
        tests: {
          passed: [`${at}outer > in`],
          failed: [`${at}top`, `${at}outer > inner > bad`],
          skipped: [`${at}outer > skipped`, `${at}outer > inner > in`],
        },
      });
    },
  );

  it.each(["json", "junit"] as const)("of vitest gives the same result (%s)", async (format) => {
    const workspace = folder({
      "package.json": '{"type":"module"}',
      "v/a.test.js": VITEST,
      "v/b.test.js": LOST,
    });
    linkModules(workspace);
    const ran = await runTests(vitest(format), { workspace });
    expect(ran).toMatchObject({
      exit_code: 1,
      report_error: null,
      counts: { passed: 1, failed: 2, skipped: 2, errors: 1 },
      tests: {
        passed: ["v/a.test.js > outer > in"],
        failed: ["v/a.test.js > top", "v/a.test.js > outer > inner > bad"],
        skipped: ["v/a.test.js > outer > skipped", "v/a.test.js > outer > later"],
      },
    });
  });

  it("reads its report from standard output if no file is named, with coverage if there is some", async () => {
    const workspace = folder({
      "package.json": '{"type":"module"}',
      "a.test.js": 'import test from "node:test";\ntest("a", () => {});\n',
    });
    const { argv } = nodeTest("tap");
    const ran = await runTests(command([...argv, "--experimental-test-coverage"]), { workspace });
    expect(ran).toMatchObject({
      exit_code: 0,
      counts: { passed: 1, failed: 0, skipped: 0, errors: 0 },
      coverage: 100,
    });
  });

  it("reads coverage only from an lcov file of this run", async () => {
    const report = "1..1\nok 1 - a\n";
    const lcov = "SF:a.js\nLF:8\nLH:6\nend_of_record\nSF:b.js\nLF:2\nLH:0\nend_of_record\n";
    const write = `require("fs").mkdirSync("coverage", { recursive: true }); require("fs").writeFileSync("coverage/lcov.info", ${JSON.stringify(lcov)});`;
    const print = `process.stdout.write(${JSON.stringify(report)});`;
    const workspace = folder();
    expect((await runTests(command([NODE, "-e", write + print]), { workspace })).coverage).toBe(60);
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(join(workspace, "coverage/lcov.info"), later, later);
    const waiting = `const until = Date.now() + 200; while (Date.now() < until);`;
    await runTests(command([NODE, "-e", waiting]), { workspace });
    expect((await runTests(command([NODE, "-e", print]), { workspace })).coverage).toBeNull();
  });
});

describe("the process", () => {
  it("gets no secret, no setting of its runner, and no program of the workspace", async () => {
    const workspace = folder({ "bin/npm": "" });
    const before = { ...process.env };
    const secrets = {
      BYLAW_JWT_SECRET: "s1",
      GITHUB_TOKEN: "s2",
      AWS_SECRET_ACCESS_KEY: "s3",
      NODE_OPTIONS: "",
      PYTEST_ADDOPTS: "-k x",
      DATABASE_URL: "s4",
    };
    Object.assign(process.env, secrets, {
      PATH: `.:${workspace}/bin:node_modules/.bin:${before["PATH"]}`,
    });
    try {
      const script = `process.stdout.write("# " + JSON.stringify(process.env))`;
      const { output } = await runTests(command([NODE, "-e", script]), {
        workspace,
        env: { MINE: "yes" },
      });
      const env = JSON.parse(output.slice(2)) as Record<string, string>;
      for (const name of Object.keys(secrets)) expect(env[name], name).toBeUndefined();
      expect(env).toMatchObject({ CI: "1", MINE: "yes" });
      expect(env["PATH"]?.split(":")).not.toContain(".");
      expect(env["PATH"]).not.toContain(workspace);
      expect(env["PATH"]).not.toMatch(/(^|:)node_modules/);
    } finally {
      for (const name of Object.keys(secrets)) Reflect.deleteProperty(process.env, name);
      process.env["PATH"] = before["PATH"] ?? "";
    }
  });

  it("is ended with everything that it started when its time is over", async () => {
    // A shell starts at once, even on a busy machine.
    const workspace = folder({ "hang.sh": "sleep 1000 &\necho $! > pid\nwait\n" });
    const ran = await runTests(command(["sh", "hang.sh"], { timeoutSeconds: 2 }), { workspace });
    expect(ran).toMatchObject({
      exit_code: null,
      signal: "SIGKILL",
      timed_out: true,
      counts: null,
    });
    expect(ran.report_error).toBe("The tap report is empty");
    await expect
      .poll(() => isGone(Number(readFileSync(join(workspace, "pid"), "utf8"))))
      .toBe(true);
  });

  it("leaves nothing running if it ends but its children do not", async () => {
    const workspace = folder();
    const grandchild = `setInterval(() => {}, 1000); require("fs").writeFileSync("pid", String(process.pid))`;
    const script = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" }); const wait = setInterval(() => { if (require("fs").existsSync("pid")) { clearInterval(wait); process.stdout.write("1..1\\nok 1 - a\\n", () => process.exit(0)); } }, 10);`;
    const ran = await runTests(command([NODE, "-e", script]), { workspace });
    expect(ran).toMatchObject({ exit_code: 0, counts: { passed: 1 } });
    await expect
      .poll(() => isGone(Number(readFileSync(join(workspace, "pid"), "utf8"))))
      .toBe(true);
  });

  it.runIf(process.platform === "linux")(
    "leaves nothing running that went into a group of its own",
    async () => {
      const workspace = folder();
      const stray = `require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000);`;
      const script = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stray)}], { detached: true, stdio: "ignore" }).unref(); const wait = setInterval(() => { if (require("fs").existsSync("pid")) { clearInterval(wait); console.log("1..1\\nok 1 - a"); } }, 10);`;
      const ran = await runTests(command([NODE, "-e", script]), { workspace });
      expect(ran).toMatchObject({ exit_code: 0, counts: { passed: 1 } });
      await expect
        .poll(() => isGone(Number(readFileSync(join(workspace, "pid"), "utf8"))))
        .toBe(true);
    },
  );

  it("is ended by the caller's signal, with the signal's reason", async () => {
    const workspace = folder();
    const end = new AbortController();
    const running = runTests(
      command([
        NODE,
        "-e",
        `require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000);`,
      ]),
      { workspace, signal: end.signal },
    );
    const wait = setInterval(
      () => existsSync(join(workspace, "pid")) && end.abort(new Error("enough")),
      10,
    );
    await expect(running).rejects.toThrow("enough");
    clearInterval(wait);
    await expect
      .poll(() => isGone(Number(readFileSync(join(workspace, "pid"), "utf8"))))
      .toBe(true);
    await expect(
      runTests(command([NODE, "-e", ""]), {
        workspace,
        signal: AbortSignal.abort(new Error("never")),
      }),
    ).rejects.toThrow("never");
  });

  it("distinguishes an exit code of 137 from a signal (WF-87)", async () => {
    const workspace = folder();
    expect(await runTests(command([NODE, "-e", "process.exit(137)"]), { workspace })).toMatchObject(
      { exit_code: 137, signal: null, timed_out: false, counts: null },
    );
    expect(
      await runTests(
        command([NODE, "-e", 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)']),
        { workspace },
      ),
    ).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: false });
  });

  it.skipIf(!canContain())(
    "sees neither other processes nor what is hidden, where that is asked for",
    async () => {
      const [workspace, hidden] = [folder(), folder({ secret: "a word that must not be told" })];
      const reads = `const { readFileSync } = require("node:fs");
      const can = (path) => { try { return readFileSync(path, "latin1") !== ""; } catch { return false; } };
      const [environ, secret] = [can("/proc/${process.pid}/environ"), can(${JSON.stringify(join(hidden, "secret"))})];
      require("node:fs").writeFileSync("left.txt", "x");
      console.log(\`1..1\\n\${environ || secret ? "not ok" : "ok"} 1 - sees nothing\`);`;
      const argv = [NODE, "-e", reads];
      expect(await runTests(command(argv), { workspace })).toMatchObject({ counts: { failed: 1 } });
      give(workspace);
      const contained = await runTests(command(argv), { workspace, contain: { hide: [hidden] } });
      expect(contained).toMatchObject({ argv, exit_code: 0, counts: { passed: 1, failed: 0 } });
      expect(readFileSync(join(workspace, "left.txt"), "utf8")).toBe("x");
      const killed = await runTests(command([NODE, "-e", 'process.kill(process.pid, "SIGBUS")']), {
        workspace,
        contain: {},
      });
      expect([killed.signal, killed.exit_code]).toEqual(["SIGBUS", null]);
      // The only difference in containment: this is reported as a signal.
      const ended = await runTests(command([NODE, "-e", "process.exit(137)"]), {
        workspace,
        contain: {},
      });
      expect([ended.signal, ended.exit_code]).toEqual(["SIGKILL", null]);
    },
  );

  it.runIf(canContain() && isRoot())(
    "never runs as root where it is contained, unless that is allowed",
    async () => {
      const workspace = folder();
      const tests = command([NODE, "-e", 'console.log("1..1\\nok 1 - as " + process.getuid())']);
      const refused = {
        code: "BYLAW_TEST_COMMAND_FAILED",
        message: expect.stringContaining("belongs to root"),
        fix: expect.stringContaining("chown"),
      };
      await expect(runTests(tests, { workspace, contain: {} })).rejects.toMatchObject(refused);
      expect((await runTests(tests, { workspace, contain: { allowRoot: true } })).output).toContain(
        "as 0",
      );
      give(workspace);
      expect((await runTests(tests, { workspace, contain: {} })).output).toContain(
        `as ${NOBODY.uid}`,
      );
    },
  );

  it("may take a year, and may be a program of the workspace named by its path", async () => {
    const workspace = folder({ "bin/tests": `#!${NODE}\nconsole.log("1..1\\nok 1 - a");\n` });
    chmodSync(join(workspace, "bin/tests"), 0o755);
    expect(
      await runTests(command(["bin/tests"], { timeoutSeconds: 31_536_000 }), { workspace }),
    ).toMatchObject({ exit_code: 0, counts: { passed: 1 } });
    await expect(runTests(command(["tests"]), { workspace })).rejects.toFailWith(
      "BYLAW_TEST_COMMAND_FAILED",
    );
  });

  it("gets its arguments unchanged: no shell reads them", async () => {
    const workspace = folder();
    const odd = "$(touch planted); `touch planted` > planted";
    const { output } = await runTests(
      command([NODE, "-e", "process.stdout.write(process.argv[1])", odd]),
      { workspace },
    );
    expect(output).toBe(odd);
    expect(existsSync(join(workspace, "planted"))).toBe(false);
  });

  it("that writes endlessly is read up to a limit, and is no evidence", async () => {
    const script = `let rest = 20; const more = () => { while (rest-- > 0) if (!process.stdout.write("1..1\\nok 1\\n".repeat(100_000))) return process.stdout.once("drain", more); }; more();`;
    const ran = await runTests(command([NODE, "-e", script]), { workspace: folder() });
    expect(ran).toMatchObject({ exit_code: 0, counts: null });
    expect(ran.report_error).toMatch(/more than \d+ bytes/);
  });

  it.each([
    [["no-such-program-of-ours"], "BYLAW_TEST_COMMAND_FAILED"],
    [["./missing"], "BYLAW_TEST_COMMAND_FAILED"],
    [["."], "BYLAW_TEST_COMMAND_FAILED"],
  ])("that cannot start, %j, is an error", async (argv, code) => {
    await expect(runTests(command(argv), { workspace: folder() })).rejects.toFailWith(code);
  });

  it("needs a folder to run in", async () => {
    const workspace = folder({ file: "" });
    for (const at of [join(workspace, "none"), join(workspace, "file")]) {
      await expect(runTests(nodeTest("tap"), { workspace: at })).rejects.toFailWith(
        "BYLAW_WORKSPACE_MISSING",
      );
    }
  });
});

describe("a report in a file", () => {
  const good = '<testsuites><testcase name="a"/></testsuites>';
  const writes = (path: string): ReturnType<typeof command> =>
    command(
      [NODE, "-e", `require("fs").writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(good)})`],
      { format: "junit", report: path },
    );
  const idle = (report: string): ReturnType<typeof command> =>
    command([NODE, "-e", ""], { format: "junit", report });

  it("is read from where the run wrote it", async () => {
    const workspace = folder({ "out/x": "" });
    expect((await runTests(writes("out/report.xml"), { workspace })).counts).toEqual({
      passed: 1,
      failed: 0,
      skipped: 0,
      errors: 0,
    });
  });

  it("that existed before is removed and does not count", async () => {
    const workspace = folder({ "report.xml": good });
    expect(await runTests(idle("report.xml"), { workspace })).toMatchObject({
      exit_code: 0,
      counts: null,
    });
    expect(existsSync(join(workspace, "report.xml"))).toBe(false);
  });

  it("that is an older, moved file does not count", async () => {
    const workspace = folder({ "kept.xml": good });
    const old = new Date(Date.now() - 60_000);
    utimesSync(join(workspace, "kept.xml"), old, old);
    const moves = command([NODE, "-e", 'require("fs").renameSync("kept.xml", "report.xml")'], {
      format: "junit",
      report: "report.xml",
    });
    expect((await runTests(moves, { workspace })).report_error).toMatch(/older than the run/);
  });

  it("that is a link, of either kind, is not followed, before or after", async () => {
    const outside = folder({ "forged.xml": good });
    const workspace = folder({ "forged.xml": good });
    symlinkSync(join(outside, "forged.xml"), join(workspace, "report.xml"));
    expect((await runTests(idle("report.xml"), { workspace })).counts).toBeNull();
    expect(readFileSync(join(outside, "forged.xml"), "utf8")).toBe(good);
    for (const how of ["symlinkSync", "linkSync"]) {
      const links = command([NODE, "-e", `require("fs").${how}("forged.xml", "report.xml")`], {
        format: "junit",
        report: "report.xml",
      });
      expect((await runTests(links, { workspace })).report_error, how).toMatch(/link/);
      rmSync(join(workspace, "report.xml"));
    }
  });

  it("is rejected outside of the workspace, by name or through a link, or if it is a folder", async () => {
    const outside = folder();
    const workspace = folder({ "folder/x": "" });
    symlinkSync(outside, join(workspace, "out"));
    for (const report of [
      "../report.xml",
      join(outside, "report.xml"),
      "out/report.xml",
      "folder",
      ".",
      "out/deeper/report.xml",
    ]) {
      await expect(runTests(idle(report), { workspace }), report).rejects.toFailWith(
        "BYLAW_REPORT_REFUSED",
      );
    }
    const turns = `require("fs").symlinkSync(${JSON.stringify(outside)}, "later"); require("fs").writeFileSync("later/report.xml", ${JSON.stringify(good)})`;
    const ran = await runTests(
      command([NODE, "-e", turns], { format: "junit", report: "later/report.xml" }),
      { workspace },
    );
    expect(ran.report_error).toMatch(/outside the workspace/);
  });

  it("that is a pipe or too large is no evidence", async () => {
    const workspace = folder();
    put(
      workspace,
      "large.js",
      'require("fs").writeFileSync("report.xml", "x".repeat(17 * 1024 * 1024))',
    );
    expect(
      (
        await runTests(command([NODE, "large.js"], { format: "junit", report: "report.xml" }), {
          workspace,
        })
      ).report_error,
    ).toMatch(/at most/);
    const pipe = command(
      [NODE, "-e", 'require("child_process").execFileSync("mkfifo", ["report.xml"])'],
      { format: "junit", report: "report.xml" },
    );
    expect((await runTests(pipe, { workspace })).counts).toBeNull();
  });
});

function isGone(pid: number): boolean {
  // A child whose parent has not waited for it is still listed, as a zombie.
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
