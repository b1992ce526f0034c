import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  canContain,
  canLimit,
  killByEnvironment,
  isRoot,
  programEnvironment,
  NOBODY,
} from "../src/index.ts";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { isGone, node, pidIn, sh } from "./kit.ts";

// A killed process needs a moment to end.
const gone = (pid: number) => expect.poll(() => isGone(pid)).toBe(true);

const linux = describe.runIf(process.platform === "linux");

linux("what it started", () => {
  it.each([
    ["ignores SIGTERM", `trap "" TERM HUP INT; echo $$ > pid; while :; do sleep 1; done`],
    ["runs in the background", "sleep 1000 & echo $! > pid; wait"],
    ["stopped itself", "echo $$ > pid; kill -STOP $$"],
  ])("and %s is ended when its time is over", async (_, script) => {
    const cwd = temporaryFolder();
    // Repeated with more time until the program has begun.
    for (let timeoutMs = 500; !existsSync(join(cwd, "pid")); timeoutMs *= 2)
      expect(await sh(script, { cwd, timeoutMs })).toMatchObject({
        exit_code: null,
        signal: "SIGKILL",
        timed_out: true,
      });
    await gone(pidIn(cwd));
  });

  it.each(readCases<[string, string]>(import.meta, "orphans"))(
    "%s ends with it",
    async (_, script) => {
      const cwd = temporaryFolder();
      expect(await sh(script, { cwd })).toMatchObject({ exit_code: 0 });
      await gone(pidIn(cwd));
    },
  );

  it("also ends if it was started by a program that runs others in the same way", async () => {
    const cwd = temporaryFolder();
    const env = programEnvironment();
    const inner = {
      argv: ["/bin/sh", "-c", "echo $$ > pid; exec sleep 1000"],
      cwd,
      env,
      timeoutMs: 60_000,
    };
    const script = `import("@bylaw/process").then(({ runProgram }) => runProgram(${JSON.stringify(inner)}))`;
    const outer = new AbortController();
    const running = node(script, { cwd: import.meta.dirname, signal: outer.signal });
    await expect.poll(() => readFileSync(join(cwd, "pid"), "utf8")).toMatch(/\d\n/);
    outer.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await gone(pidIn(cwd));
  });
});

it("a signal of the caller ends the program and is the error; if aborted before, nothing starts", async () => {
  const cwd = temporaryFolder();
  const end = new AbortController();
  const running = sh("echo $$ > pid; exec sleep 1000", { cwd, signal: end.signal });
  await expect.poll(() => existsSync(join(cwd, "pid")) && pidIn(cwd)).toBeGreaterThan(0);
  end.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  await gone(pidIn(cwd));
  await expect(
    sh("echo $$ > late", { cwd, signal: AbortSignal.abort(new Error("never")) }),
  ).rejects.toThrow("never");
  expect(existsSync(join(cwd, "late"))).toBe(false);
});

linux("when this process ends", () => {
  it("the programs that it runs end with it", async () => {
    const cwd = temporaryFolder();
    const start = {
      argv: ["/bin/sh", "-c", "echo $$ > pid; exec sleep 1000"],
      cwd,
      env: programEnvironment(),
      timeoutMs: 60_000,
    };
    const wait = `const at = setInterval(() => { if (require("fs").existsSync(${JSON.stringify(join(cwd, "pid"))})) process.exit(0); }, 10);`;
    const script = `import("@bylaw/process").then(({ runProgram }) => runProgram(${JSON.stringify(start)})); ${wait}`;
    const child = spawn(process.execPath, ["-e", script], {
      cwd: import.meta.dirname,
      stdio: "ignore",
    });
    await once(child, "exit");
    await gone(pidIn(cwd));
  });

  it("the leftovers of a killed program are found by their variables, and nothing else", async () => {
    const cwd = temporaryFolder();
    const marks = { BYLAW_RUN: "r", BYLAW_ATTEMPT: cwd };
    const start = (env: Readonly<Record<string, string>>) =>
      spawn("/bin/sleep", ["1000"], { env, detached: true, stdio: "ignore" });
    const [left, other] = [start({ ...marks, MORE: "x" }), start({ BYLAW_RUN: "r" })];
    const ended = once(left, "exit");
    await expect.poll(() => readFileSync(`/proc/${left.pid}/environ`, "utf8")).toContain(cwd);
    killByEnvironment(marks);
    killByEnvironment({});
    await ended;
    expect(isGone(other.pid ?? 0)).toBe(false);
    const over = once(other, "exit");
    other.kill("SIGKILL");
    await over;
  });
});

describe.runIf(canContain())("contained", () => {
  const contain = {};

  it("it sees only its own processes, and reads no other environment", async () => {
    const script = 'ls /proc | grep -cE "^[0-9]+$"; cat /proc/[0-9]*/environ | tr "\\0" "\\n"';
    process.env["SECRET_OF_THE_TEST"] = "hidden";
    const { stdout } = await sh(script, { contain });
    expect(Number(stdout.text.split("\n")[0])).toBeLessThan(10);
    expect(stdout.text).not.toContain("SECRET_OF_THE_TEST");
  });

  it("hidden places are empty for it, and it cannot uncover them", async () => {
    const [data, file, cwd] = [
      temporaryFolder(),
      join(temporaryFolder(), "key"),
      temporaryFolder(),
    ];
    writeFileSync(join(data, "key"), "secret");
    writeFileSync(file, "secret");
    const look = `cat ${file} ${data}/key; ls -A ${data}`;
    const script = `${look}; umount ${data} ${file}; unshare --user --map-root-user --mount umount ${data}; ${look}; echo over`;
    const end = await sh(script, { cwd, contain: { hide: [data, file, "/no/such", cwd, "/"] } });
    expect(end.stdout.text).toBe("over\n");
    expect(readFileSync(file, "utf8")).toBe("secret");
  });

  it("it cannot replace a hidden place by renaming the folders above it", async () => {
    const above = temporaryFolder();
    const [deep, file] = [join(above, "work/.own"), join(above, "work/etc/key")];
    for (const made of [deep, join(above, "work/etc")]) mkdirSync(made, { recursive: true });
    writeFileSync(join(deep, "who"), "operators");
    writeFileSync(file, "secret");
    const move =
      "mv .own own; mv etc etc2; cd ..; mv work work2; mv /proc/self/cwd/work work3; rm -rf work/.own work/etc";
    const plant = `mkdir -p ${deep} ${join(above, "work/etc")}; echo mine > ${deep}/who; echo mine > ${file}`;
    const script = `${move}; (${plant}); unshare --user --map-root-user --mount sh -c 'umount -l work; ${move}; ${plant}'; echo over`;
    const end = await sh(script, { cwd: join(above, "work"), contain: { hide: [deep, file] } });
    expect(end.stdout.text).toBe("over\n");
    expect(readdirSync(above)).toEqual(["work"]);
    expect([readFileSync(join(deep, "who"), "utf8"), readFileSync(file, "utf8")]).toEqual([
      "operators",
      "secret",
    ]);
  });

  it("it can read protected places, but neither write nor replace them", async () => {
    const cwd = temporaryFolder();
    for (const made of ["rules/deep", "src"]) mkdirSync(join(cwd, made), { recursive: true });
    for (const file of ["house.toml", "rules/a", "rules/deep/b", "src/c"])
      writeFileSync(join(cwd, file), "ours");
    const write =
      "for f in house.toml rules/a rules/deep/b rules/new src/c; do echo mine > $f; rm -f $f.x; cp src/c $f.x; mv $f.x $f; done";
    const more =
      "rm -rf house.toml rules; mv rules rules2; chmod 777 house.toml; truncate -s 0 house.toml; umount house.toml rules";
    const script = `(${write}; ${more}; mount -o remount,bind,rw house.toml; unshare --user --map-root-user --mount sh -c 'umount rules; ${write}') 2> /dev/null; cat house.toml rules/a`;
    const protect = ["house.toml", "rules", "none", ".", "/"].map((path) => resolve(cwd, path));
    const end = await sh(script, { cwd, contain: { hide: [join(cwd, "rules/deep")], protect } });
    expect(end.stdout.text).toBe("oursours");
    const text = (path: string) => readFileSync(join(cwd, path), "utf8");
    expect([text("house.toml"), text("rules/a"), text("rules/deep/b")]).toEqual([
      "ours",
      "ours",
      "ours",
    ]);
    expect([readdirSync(join(cwd, "rules")), text("src/c")]).toEqual([["a", "deep"], "mine\n"]);
  });

  it("it finds its working folder even if everything around it is hidden", async () => {
    const data = temporaryFolder();
    const cwd = join(data, "inner/deep");
    mkdirSync(join(data, "inner/beside"), { recursive: true });
    mkdirSync(cwd);
    writeFileSync(join(data, "key"), "secret");
    writeFileSync(join(cwd, "in"), "in");
    const script = `cat in; pwd; ls -A ${data} ${data}/inner; echo made > made; cat ${data}/key; echo x > ${data}/planted; umount ${data}`;
    const end = await sh(script, {
      cwd,
      contain: { hide: [join(data, "inner/beside"), data, join(data, "key")] },
    });
    expect(end.stdout.text).toBe(`in${cwd}\n${data}:\ninner\n\n${data}/inner:\ndeep\n`);
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("made\n");
    expect(readdirSync(data).sort()).toEqual(["inner", "key"]);
  });

  it("it works in its folder as usual, and reports how it ended", async () => {
    const cwd = temporaryFolder();
    const end = await sh("id -u; pwd; echo made > made; cat; exit 7", {
      cwd,
      contain,
      stdin: "in",
    });
    expect(end).toMatchObject({
      exit_code: 7,
      stdout: { text: `${isRoot() ? NOBODY.uid : process.getuid?.()}\n${cwd}\nin` },
    });
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("made\n");
    const odd = ["$(touch planted)", "", "a\nb", "--", "-x"];
    const argv = [
      process.execPath,
      "-e",
      "console.log(JSON.stringify(process.argv.slice(1)))",
      "--",
      ...odd,
    ];
    expect(JSON.parse((await sh("", { argv, contain })).stdout.text)).toEqual(odd);
    expect(await sh("", { argv: ["no-such-program"], contain })).toMatchObject({
      error: expect.stringMatching(/ENOENT|EACCES/),
    });
  });

  it.each(readCases<[string, string]>(import.meta, "signals"))(
    "it reports the signal that ended it: `%s`",
    async (line, signal) => {
      expect(await sh(line, { contain })).toMatchObject({
        exit_code: null,
        signal,
        timed_out: false,
        error: null,
      });
    },
  );

  it.each([128, 160, 192, 255])("it reports exit code %i, which means no signal", async (code) => {
    expect(await sh(`exit ${code}`, { contain })).toMatchObject({ exit_code: code, signal: null });
  });

  it.runIf(canLimit())("it cannot run more processes at once than its limit", async () => {
    const script = "for i in $(seq 100); do sleep 60 & done; jobs -p | wc -l; kill $(jobs -p)";
    const end = await sh(script, { contain, limits: { processes: 20 } });
    expect(end.stderr.text).toMatch(/fork/i);
    expect(await sh("true; true", { contain, limits: { processes: 20 } })).toMatchObject({
      exit_code: 0,
    });
  });

  it("a process that removes its mark and leaves its session does not outlive it", async () => {
    const cwd = temporaryFolder();
    const stray =
      "env -i setsid sh -c 'echo begun > begun; while :; do echo x >> grows; done' & while ! [ -s begun ]; do :; done";
    expect(await sh(stray, { cwd, contain })).toMatchObject({ exit_code: 0 });
    const size = (): number => statSync(join(cwd, "grows"), { throwIfNoEntry: false })?.size ?? 0;
    const after = size();
    await sh("for i in 1 2 3 4 5 6 7 8 9; do ls / > /dev/null; done");
    expect(size()).toBe(after);
    expect(
      await sh("env -i setsid sleep 1000 & sleep 1000", { cwd, contain, timeoutMs: 500 }),
    ).toMatchObject({ timed_out: true });
  });
});

describe.runIf(canLimit())("limits", () => {
  it("end a program that takes too much memory, and let a runtime start", async () => {
    const hog = "const all = []; for (;;) all.push(Buffer.alloc(16 * 1024 * 1024, 1))";
    const end = await node(hog, { limits: { memory: 1024 ** 3 } });
    expect(end.exit_code).not.toBe(0);
    expect(end.timed_out).toBe(false);
    expect((await node("console.log(1)", { limits: { memory: 1024 ** 3 } })).stdout.text).toBe(
      "1\n",
    );
  });

  const limits = { memory: 1024 ** 3 };
  const cwd = temporaryFolder();
  const env = { ...programEnvironment(), PATH: `/no/such:${join(cwd, "planted")}:/usr/bin:/bin` };
  mkdirSync(join(cwd, "planted"));
  writeFileSync(join(cwd, "planted/sh"), "no program");
  writeFileSync(join(cwd, "mine"), "#!/bin/sh\necho mine\n", { mode: 0o755 });

  it.each(readCases<[string[], string]>(import.meta, "missing-programs"))(
    "do not hide that the program %j does not exist",
    async (argv, code) => {
      for (const contain of canContain() ? [undefined, {}] : [undefined])
        expect(await sh("", { argv, limits, cwd, contain })).toMatchObject({
          exit_code: null,
          error: expect.stringContaining(code),
        });
    },
  );

  it("find the same program as the system", async () => {
    for (const contain of canContain() ? [undefined, {}] : [undefined]) {
      expect(
        (await sh("", { argv: ["sh", "-c", "echo found"], limits, cwd, env, contain })).stdout.text,
      ).toBe("found\n");
      expect((await sh("", { argv: ["./mine"], limits, cwd, env, contain })).stdout.text).toBe(
        "mine\n",
      );
    }
  });

  it.each([
    ["prlimit", 127],
    ["unshare", 126],
  ])("do not mistake output of a program for a failure to start it: `%s`", async (name, code) => {
    for (const contain of canContain() ? [undefined, {}] : [undefined]) {
      const end = await sh(`echo ran; echo '${name}: failed to execute x: y' >&2; exit ${code}`, {
        limits,
        contain,
      });
      expect(end).toMatchObject({ exit_code: code, error: null, stdout: { text: "ran\n" } });
    }
  });

  it("stop an endless file and an endless loop", async () => {
    const cwd = temporaryFolder();
    await sh("yes > large", { cwd, limits: { file: 65_536 } });
    expect(readFileSync(join(cwd, "large")).length).toBeLessThanOrEqual(65_536);
    expect(await sh("while :; do :; done", { limits: { cpu: 1 } })).toMatchObject({
      exit_code: null,
      timed_out: false,
    });
  });
});
