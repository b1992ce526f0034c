import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { SettingsFile } from "@bylaw/host";
import { startModel, type Script } from "./model.ts";
import { fileOf, type Place, type Program } from "./programs.ts";

const BIN = join(
  dirname(createRequire(import.meta.url).resolve("@bylaw/cli/package.json")),
  "dist/bin.js",
);
/** A placeholder address for the time before the model runs. */
export const NO_MODEL = "http://127.0.0.1:1";
const MODEL = /http:\/\/127\.0\.0\.1:\d+/;
const TOKEN = "t".repeat(40);

/** What a program did in one run. */
export interface Drive {
  /** The tools' answers to the model. */
  readonly seen: string;
  readonly turns: number;
  /** Whether the program exited by itself. */
  readonly ended: boolean;
  readonly printed: string;
}

/** A fresh home folder with a project, in which one program works under Bylaw. */
export class Desk {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-hosts-")));
  readonly project = join(this.home, "work");
  readonly program: Program;

  constructor(program: Program) {
    this.program = program;
    mkdirSync(join(this.project, ".git/objects"), { recursive: true });
    mkdirSync(join(this.project, ".git/refs"));
    this.write("work/.git/HEAD", "ref: refs/heads/main\n");
    this.write("work/.git/config", "[core]\n\trepositoryformatversion = 0\n");
    const digest = createHash("sha256").update(TOKEN).digest("hex");
    this.write(
      "rules/.bylaw/operators.json",
      JSON.stringify({ operators: [{ name: "ada", token: `sha256:${digest}` }] }),
    );
  }

  /** Writes a file, given by its path from the home folder. */
  write(file: string, text: string): void {
    const path = join(this.home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  }

  /** Whether a file of the project exists. */
  has(file: string): boolean {
    return existsSync(join(this.project, file));
  }

  remove(file: string): void {
    rmSync(join(this.project, file), { recursive: true, force: true });
  }

  /** Sends a signal to the engines that the hook has started. Returns their number. */
  signalEngines(signal: NodeJS.Signals): number {
    const engines = globSync("/proc/[0-9]*/cmdline").filter((file) => {
      try {
        return readFileSync(file, "utf8").includes(`\0serve\0--local\0--engine\0${this.#engine}\0`);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
    for (const file of engines) process.kill(Number(file.split("/")[2]), signal);
    return engines.length;
  }

  close(): void {
    this.signalEngines("SIGKILL");
    // A program may still write while it exits.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  bylaw(...args: readonly string[]): { readonly code: number | null; readonly text: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      cwd: this.project,
      env: { ...this.#env(), BYLAW_OPERATOR_TOKEN: TOKEN },
      encoding: "utf8",
      timeout: 60_000,
    });
    return { code: status, text: `${stdout}${stderr}` };
  }

  /** The lines of JSON that a command prints. */
  lines(...args: readonly string[]): readonly unknown[] {
    const { text } = this.bylaw(...args);
    return text
      .split("\n")
      .filter(Boolean)
      .map((one) => JSON.parse(one) as unknown);
  }

  /** Installs the hook like a person. */
  install(
    config: string,
    scope: SettingsFile["scope"] = "user",
    more: readonly string[] = [],
  ): void {
    this.prepare();
    const { name } = this.program.host;
    const own = ["--config", join(this.home, config), "--engine", this.#engine];
    const ran = this.bylaw("install", name, `--${scope}`, ...own, ...more);
    if (ran.code !== 0) throw new Error(ran.text);
  }

  /** Writes the program's own settings. */
  prepare(): void {
    for (const [file, text] of Object.entries(this.program.files(this.#place(NO_MODEL))))
      this.write(file, text);
  }

  /** The path of the user's settings file with the hook. */
  get settings(): string {
    const files = this.program.host.files(
      { home: this.home, cwd: this.project, env: {} },
      this.project,
    );
    const target = files.find(({ scope, target }) => scope === "user" && target);
    if (target === undefined) throw new Error("There are no settings");
    return target.file;
  }

  /** Replaces Bylaw's program by a script, and makes the host wait for only 2 seconds. */
  replaceHook(script: string | undefined): void {
    const target = this.settings;
    if (script !== undefined) this.write("other.cjs", script);
    const { timeout_ms } = this.program.host.capabilities;
    const text = readFileSync(target, "utf8")
      .replace(/'[^' ]+\.c?js'(?= )/g, `'${join(this.home, "other.cjs")}'`)
      .replaceAll(`: ${timeout_ms}`, ": 2000")
      .replaceAll(`: ${timeout_ms / 1_000}`, ": 2");
    if (!text.includes("other.cjs") || !/: 2(?:000)?\b/.test(text)) throw new Error(text);
    writeFileSync(target, text);
  }

  /** Makes the hook name no file of Bylaw that exists. */
  removeHook(): void {
    const text = readFileSync(this.settings, "utf8");
    const gone = text.replace(/'[^' ]+\.c?js'/g, `'${join(this.home, "missing.js")}'`);
    if (gone === text) throw new Error(text);
    writeFileSync(this.settings, gone);
  }

  /** Runs the program until it exits, with a model that follows a script. With a configuration, `bylaw run` starts it. */
  async drive(script: Script, patience_ms = 60_000, config?: string): Promise<Drive> {
    const model = await startModel(script);
    const { program } = this;
    const place = this.#place(model.url);
    for (const file of Object.keys(program.files(place))) {
      const text = readFileSync(join(this.home, file), "utf8");
      this.write(file, text.replace(MODEL, model.url));
    }
    const file = fileOf(program);
    const run = ["run", program.host.name, "--config", join(this.home, config ?? ""), "--"];
    const [start, ...words] = config === undefined ? [file] : [process.execPath, BIN, ...run];
    const env = this.#env();
    const child = spawn(start, [...words, ...program.args], {
      cwd: this.project,
      env: { ...env, PATH: `${dirname(file)}${delimiter}${env.PATH}`, ...program.env(place) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const end = (): void => {
      try {
        process.kill(-Number(child.pid), "SIGKILL");
      } catch {
        // It has ended.
      }
    };
    let ended = true;
    const timer = setTimeout(
      () => {
        ended = false;
        end();
      },
      patience_ms + (program.start_ms ?? 0),
    );
    await once(child, "close");
    clearTimeout(timer);
    model.close();
    return { seen: model.seen().join("\n"), turns: model.turns(), ended, printed };
  }

  get #engine(): string {
    return join(this.home, "run");
  }

  #place(url: string): Place {
    return { home: this.home, project: this.project, url };
  }

  #env(): Readonly<Record<"HOME" | "PATH" | "TERM" | "LANG", string>> {
    const path = [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    return { HOME: this.home, PATH: path, TERM: "dumb", LANG: "C.UTF-8" };
  }
}
