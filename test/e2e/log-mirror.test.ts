import { generateKeyPairSync } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, defineConfig } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { eventLog } from "@bylaw/plugin-event-log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describe, expect, test } from "vitest";
import { bylawHere, json, scratch, type Ran } from "./bylaw.ts";

/** A run as a host leaves it: in a store, mirrored into rotated files, with signed heads. */
async function recorded(): Promise<{ readonly cwd: string; readonly files: readonly string[] }> {
  const keys = generateKeyPairSync("ed25519");
  const cwd = scratch();
  writeFileSync(
    join(cwd, "private.pem"),
    keys.privateKey.export({ format: "pem", type: "pkcs8" }),
    { mode: 0o600 },
  );
  writeFileSync(join(cwd, "public.pem"), keys.publicKey.export({ format: "pem", type: "spki" }));
  const plugin = eventLog({
    file: join(cwd, "main.jsonl"),
    rotate: { bytes: 4_000 },
    sign: { key_file: join(cwd, "private.pem"), every_ms: 0 },
  });
  const kernel = createKernel(defineConfig({ plugins: [plugin], fallback: "allow" }));
  for (let session = 0; session < 2; session += 1) {
    const store = await openSqliteStore(join(cwd, "runs.db"));
    const run = await openRun(kernel, { run: "main", store });
    for (let call = 0; call < 6; call += 1) {
      // The keys are not in canonical order.
      const args = {
        text: "ü\u2028",
        path: `file-${call}.ts`,
        "10": 1,
        "9": [{ z: 0.1, a: -1e-7 }],
      };
      await run.toolCall({ agent: "dev-1", task: `t${call}`, tool: "read_file", args });
    }
    await run.close();
    await store.close();
  }
  const files = readdirSync(cwd).filter((file) => /^main\.\d.*\.jsonl$/.test(file));
  return { cwd, files: [...files.sort(), "main.jsonl"] };
}

describe("a run that was recorded into a store and its files", () => {
  const verify = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
    bylawHere(
      [
        "log",
        "verify",
        ...args,
        "--chained",
        "--heads",
        "main.jsonl.heads",
        "--key",
        "public.pem",
        "--json",
      ],
      { cwd },
    );

  test("verifies across its files, up to the last signed head", async () => {
    const { cwd, files } = await recorded();
    expect(files.length).toBeGreaterThan(2);
    const ran = await verify(cwd, ...files);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const { events, head, signed, findings } = json(ran) as {
      readonly events: number;
      readonly head: { readonly sequence: number; readonly hash: string };
      readonly signed: { readonly last: object };
      readonly findings: readonly unknown[];
    };
    expect(findings).toEqual([]);
    expect(head.sequence).toBe(events);
    expect(signed.last).toMatchObject({ run: "main", ...head });
    expect(json(await verify(cwd, "--store", "runs.db", "--run", "main"))).toMatchObject({
      events,
      head,
      findings: [],
    });
  });

  test("is exported from the store as the lines of its files, byte for byte, and imported into another store", async () => {
    const { cwd, files } = await recorded();
    const lines = files.flatMap((file) => readFileSync(join(cwd, file), "utf8").split(/(?<=\n)/));
    const { stdout } = await bylawHere("log export --store runs.db --run main", { cwd });
    expect(stdout).toBe(lines.filter((line) => !line.includes('"log_anchor"')).join(""));
    expect(
      await bylawHere(["log", "import", ...files, "--store", "copy.db", "--run", "main"], { cwd }),
    ).toMatchObject({ code: 0, stderr: "" });
    expect((await bylawHere("log export --store copy.db --run main", { cwd })).stdout).toBe(stdout);
  });

  test("shows that its end was cut off, although the rest verifies by itself", async () => {
    const { cwd, files } = await recorded();
    const lines = files.flatMap((file) => readFileSync(join(cwd, file), "utf8").split(/(?<=\n)/));
    writeFileSync(join(cwd, "cut.jsonl"), lines.slice(0, -1).join(""));
    expect(await bylawHere("log verify cut.jsonl --chained", { cwd })).toMatchObject({
      code: 0,
      stderr: "",
    });
    const ran = await verify(cwd, "cut.jsonl");
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(json(ran)["findings"]).toMatchObject([
      { file: "main.jsonl.heads", rule: "LOG_CUT", severity: "error" },
    ]);
  });

  test("is not proven by heads of another key, by none, or by half of the options", async () => {
    const { cwd, files } = await recorded();
    const other = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" });
    writeFileSync(join(cwd, "other.pem"), other);
    writeFileSync(join(cwd, "empty.heads"), "\n");
    const run = (heads: string, key: string): Promise<Ran> =>
      bylawHere(["log", "verify", ...files, "--heads", heads, "--key", key, "--json"], { cwd });
    expect(await run("main.jsonl.heads", "other.pem")).toMatchObject({ code: 1 });
    expect(json(await run("empty.heads", "public.pem"))["findings"]).toMatchObject([
      { file: "empty.heads", rule: "HEAD_MISSING", severity: "error" },
    ]);
    writeFileSync(
      join(cwd, "torn.heads"),
      readFileSync(join(cwd, "main.jsonl.heads"), "utf8").slice(0, 20),
    );
    expect(await run("torn.heads", "public.pem")).toMatchObject({ code: 1 });
    expect(json(await run("torn.heads", "public.pem"))["findings"]).toMatchObject([
      { rule: "HEAD_TORN", severity: "warning" },
      { rule: "HEAD_MISSING", severity: "error" },
    ]);
    expect(json(await run("nothing.heads", "public.pem"))).toMatchObject({
      error: { code: "BYLAW_LOG_UNREADABLE", file: "nothing.heads" },
    });
    expect(json(await run("main.jsonl.heads", "empty.heads"))).toMatchObject({
      error: { code: "BYLAW_KEY_INVALID" },
    });
    const half = await bylawHere(["log", "verify", ...files, "--heads", "main.jsonl.heads"], {
      cwd,
    });
    expect(half.stderr).toMatch(/^error BYLAW_USAGE_INVALID: `--heads` needs `--key`/);
  });
});
