import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  canContain,
  isRoot,
  runProgram,
  NOBODY,
  type Containment,
  type ProgramEnd,
} from "../src/index.ts";
import { give, sh } from "./kit.ts";

// Not in a temporary folder, because the program gets its own ones.
const outside = mkdtempSync(join(import.meta.dirname, ".outside-"));
const mark = `escaped-${basename(outside)}`;
const sockets = [join(temporaryFolder(), "socket"), ...(isRoot() ? [`/run/${mark}.socket`] : [])];
const servers: Server[] = [];
/** Files that would be on the host if a program had escaped. */
const traces = [
  join(homedir(), mark),
  ...["/etc/cron.d", "/tmp", "/var/tmp", "/dev/shm", "/run"].map((path) => join(path, mark)),
];

beforeAll(async () => {
  mkdirSync(join(outside, "node_modules"));
  writeFileSync(join(outside, "node_modules/index.js"), "ours");
  for (const path of ["", "node_modules", "node_modules/index.js"])
    chmodSync(join(outside, path), 0o777);
  // Held open by this process while programs start.
  openSync(join(outside, "node_modules/index.js"), "r+");
  for (const path of sockets) {
    const server = createServer((socket) => socket.end()).listen({
      path,
      readableAll: true,
      writableAll: true,
    });
    await once(server, "listening");
    chmodSync(dirname(path), 0o755);
    servers.push(server);
  }
});
afterAll(() => {
  for (const server of servers) server.close();
  for (const path of [outside, ...traces]) rmSync(path, { recursive: true, force: true });
});

const connect = (path: string): string =>
  `"${process.execPath}" -e 'require("net").connect("${path}").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'`;

// Each script exits with 0 if the escape succeeds. None breaks anything if it does.
const ESCAPES: Readonly<Record<string, string>> = {
  "start a program at each crash":
    "cat /proc/sys/kernel/core_pattern > core; cat core > /proc/sys/kernel/core_pattern",
  "start a program at each event": `touch /etc/cron.d/${mark}`,
  "change a system setting": "cat /proc/sys/vm/swappiness > now; cat now > /proc/sys/vm/swappiness",
  "press keys of the kernel": ": > /proc/sysrq-trigger",
  "change a device":
    "cat /sys/kernel/mm/transparent_hugepage/enabled > now; echo never > /sys/kernel/mm/transparent_hugepage/enabled.x",
  "join a control group":
    "for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do echo 0 > $f && exit 0; done; exit 1",
  mount: "mount -t tmpfs none /mnt",
  "mount as root of its own namespace":
    "unshare --user --map-root-user --mount mount -t tmpfs none /mnt",
  "allow itself to become root of its own namespace":
    "echo 100 > /proc/sys/user/max_user_namespaces",
  "make a mount writable": "mount -o remount,bind,rw / || mount -o remount,rw /",
  "remove a mount": "umount /proc/sys || umount /tmp || umount -l /dev",
  "make a device": "mknod disk b 254 0 || mknod disk b 7 0 || mknod memory c 1 1",
  "use a device":
    "[ -e /dev/kmsg ] || [ -e /dev/mem ] || [ -e /dev/fuse ] || [ -e /dev/kvm ] || [ -e /dev/loop0 ] || [ -e /dev/vda ]",
  "become root":
    "who=0; [ $(id -u) != 0 ] || who=1; setpriv --reuid $who true || su root -c '[ $who = 0 ]' || sudo -n true",
  "have rights":
    "grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb):' /proc/self/status | grep -v '0000000000000000$'",
  "gain rights through a program": "grep '^NoNewPrivs:.*0' /proc/self/status",
  "change its root": "chroot / true",
  "signal the service": `kill -0 ${process.pid} || kill -0 ${process.ppid}`,
  "read the process before it": "cat /proc/1/environ || cat /proc/1/maps",
  "go through the root of another process": `ls /proc/1/root/ || ls /proc/1/cwd/ || touch /proc/1/root${outside}/x`,
  "enter what another process sees":
    "nsenter --target 1 --mount true || nsenter --target 1 --user true",
  "write to a package": `echo x >> ${outside}/node_modules/index.js || touch ${outside}/node_modules/x`,
  "replace a package": `mv ${outside}/node_modules ${outside}/other || rm ${outside}/node_modules/index.js`,
  "write to a file that this process holds open":
    "for f in /proc/self/fd/*; do case $(readlink $f) in ''|/dev/null|/proc/*|*/out) ;; /*) exit 0;; esac; done; exit 1",
  "change the programs of a person": `touch ${join(homedir(), mark)}`,
  "leave a file in the folder of sockets": `touch /run/${mark} || touch /var/run/${mark}`,
  "ask a service of the machine": sockets.map(connect).join(" || "),
  "share memory with others": `[ "$(readlink /proc/self/ns/ipc)" = "${linkOf("/proc/self/ns/ipc")}" ]`,
  "list keys": "grep . /proc/keys",
};
// These succeed, but nothing of them remains.
const PRIVATE = ["/tmp", "/var/tmp", "/dev/shm"]
  .map((path) => `touch ${path}/${mark}`)
  .join(" && ");

function linkOf(path: string): string {
  return existsSync(path) ? readlinkSync(path) : "";
}

type Runner = (script: string) => Promise<ProgramEnd>;

async function escapes(run: Runner): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, script] of Object.entries(ESCAPES)) {
    const end = await run(`(${script}) > out 2>&1`);
    if (end.exit_code === 0 || end.error !== null) found.push(`${name}: ${end.error ?? script}`);
  }
  return found;
}

async function expectNoEscape(run: Runner): Promise<void> {
  expect(await escapes(run)).toEqual([]);
  expect(await run(`${PRIVATE} && touch made`)).toMatchObject({
    exit_code: 0,
    stderr: { text: "" },
  });
  expect(traces.filter((path) => existsSync(path))).toEqual([]);
  expect(readFileSync(join(outside, "node_modules/index.js"), "utf8")).toBe("ours");
}

describe.runIf(canContain())("a contained program cannot escape", () => {
  it("from the user that it runs as", async () => {
    const cwd = temporaryFolder();
    await expectNoEscape((script) => sh(script, { cwd, contain: {} }));
    expect(existsSync(join(cwd, "made"))).toBe(true);
    expect((await sh("id -u", { cwd, contain: {} })).stdout.text).not.toBe("0\n");
  });

  it.runIf(isRoot())("from root, if it may run as root", async () => {
    const cwd = temporaryFolder();
    const run = (script: string, contain: Containment = { allowRoot: true }): Promise<ProgramEnd> =>
      runProgram({
        argv: ["/bin/sh", "-c", script],
        cwd,
        env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
        timeoutMs: 60_000,
        contain,
      });
    await expectNoEscape((script) => run(script));
    expect((await run("id -u")).stdout.text).toBe("0\n");
    expect(await run("touch ran", {})).toMatchObject({
      exit_code: null,
      error: expect.stringContaining("belongs to root"),
    });
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  const as = ["--reuid", `${NOBODY.uid}`, "--regid", `${NOBODY.gid}`, "--clear-groups"];
  const reaches =
    isRoot() &&
    spawnSync("setpriv", [...as, process.execPath, "-e", "import(process.argv[1])", entry()])
      .status === 0;

  it.runIf(reaches)("from a service that is not root", async () => {
    const cwd = give(temporaryFolder());
    const script = `import(process.argv[1]).then(async ({ runProgram }) => {
      const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
      const start = { cwd: process.argv[2], env, timeoutMs: 60_000, contain: { required: true } };
      for await (const line of require("readline").createInterface({ input: process.stdin }))
        console.log(JSON.stringify(await runProgram({ ...start, argv: ["/bin/sh", "-c", JSON.parse(line)] })));
    })`;
    const service = spawn("setpriv", [...as, process.execPath, "-e", script, entry(), cwd], {
      ...{ cwd: "/", env: { PATH: "/usr/bin:/bin" }, stdio: ["pipe", "pipe", "inherit"] },
    });
    onTestFinished(() => void service.kill());
    const answers = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
    const run = async (line: string): Promise<ProgramEnd> => {
      service.stdin.write(`${JSON.stringify(line)}\n`);
      return JSON.parse(String((await answers.next()).value)) as ProgramEnd;
    };
    await expectNoEscape(run);
  });
});

function entry(): string {
  return join(import.meta.dirname, "../src/index.ts");
}

describe.runIf(canContain())("programs in a temporary folder", () => {
  it("run, but change and see nothing else there", async () => {
    const [cwd, installed] = [give(temporaryFolder()), temporaryFolder()];
    const modules = join(installed, "node_modules");
    mkdirSync(join(modules, ".bin"), { recursive: true });
    mkdirSync(join(modules, "data"));
    writeFileSync(join(modules, "data/key"), "secret");
    writeFileSync(join(installed, "beside"), "secret");
    const tool =
      '#!/bin/sh\necho ran; cat ../data/key ../../beside data/key beside 2> /dev/null; echo x >> "$0" || ls -A /mnt /tmp | head -c 9\n';
    writeFileSync(join(modules, ".bin/tool"), tool, { mode: 0o755 });
    for (const path of [installed, modules]) chmodSync(path, 0o755);
    const env = { PATH: `${join(modules, ".bin")}:/usr/bin:/bin` };
    const start = { cwd, env, timeoutMs: 60_000, contain: { hide: [join(modules, "data")] } };
    for (const name of ["tool", join(modules, ".bin/tool")]) {
      const look = `"${name}"; cat "${modules}/data/key" "${installed}/beside"; touch "${modules}/planted"; ls -A /mnt`;
      expect((await runProgram({ ...start, argv: ["sh", "-c", look] })).stdout.text).toMatch(
        /^ran\n(?!.*secret)/s,
      );
    }
    expect(
      await runProgram({ ...start, argv: [join(modules, ".bin/tool")], env: { PATH: "/bin" } }),
    ).toMatchObject({ exit_code: 0 });
    expect(readFileSync(join(modules, ".bin/tool"), "utf8")).toBe(tool);
    expect(existsSync(join(modules, "planted"))).toBe(false);
  });
});

describe.runIf(canContain() && isRoot())("if the service is root", () => {
  it("programs run as the owner of the workspace, who need not be able to enter the folders above it", async () => {
    const above = temporaryFolder();
    const cwd = join(above, "closed/work");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(above, "closed/key"), "secret");
    for (const path of [above, join(above, "closed")]) chmodSync(path, 0o700);
    chownSync(cwd, 12_345, 0);
    const look =
      "id -u; id -g; pwd; ls -A ..; cat ../key; echo $HOME; echo made > made; echo x > ../planted";
    const argv = ["/bin/sh", "-c", look];
    const end = await runProgram({
      argv,
      cwd,
      env: { PATH: "/usr/bin:/bin", HOME: homedir() },
      timeoutMs: 60_000,
      contain: {},
    });
    expect(end.stdout.text).toBe(`12345\n12345\n${cwd}\nwork\n/tmp\n`);
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("made\n");
  });

  it("a program that this user cannot reach is reported as such", async () => {
    const [cwd, closed] = [give(temporaryFolder()), temporaryFolder()];
    writeFileSync(join(closed, "tool"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
    const start = { cwd, env: { PATH: `${closed}:/bin` }, timeoutMs: 60_000, contain: {} };
    const refused = {
      exit_code: null,
      error: expect.stringMatching(/user 65534.*may not run it or enter the folder/),
    };
    expect(await runProgram({ ...start, argv: ["tool"] })).toMatchObject(refused);
    expect(await runProgram({ ...start, argv: ["sh", "-c", "echo $0"] })).toMatchObject({
      exit_code: 0,
      error: null,
    });
  });

  it("a folder of programs that this user cannot reach is named", async () => {
    const [cwd, closed] = [give(temporaryFolder()), temporaryFolder()];
    mkdirSync(join(closed, "bin"));
    const env = { PATH: `${join(closed, "bin")}:/bin` };
    const start = { argv: ["/bin/sh", "-c", ""], cwd, env, timeoutMs: 60_000, contain: {} };
    expect((await runProgram(start)).stderr.text).toBe(
      `This program could not be contained: user 65534 may not enter \`${closed}\`. Let this user enter it, or remove \`${join(closed, "bin")}\` from \`PATH\`\n`,
    );
  });
});
