// The configuration of the README of `@bylaw/plugin-otel` reports what an installed hook decides, over OTLP.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root, textOf } from "../contract/workspaces.ts";
import { bylaw, scratch } from "./bylaw.ts";
import { enginesIn, installedCommand, signal } from "./engine-kit.ts";

const [, README = ""] =
  /```ts\n(\/\/ bylaw\.config\.ts\n[^]*?)```/.exec(textOf("plugins/otel/README.md")) ?? [];

/** A collector that keeps the bodies that it received, by path. */
async function collector() {
  const received = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { url = "" } = request;
    let body = "";
    for await (const piece of request) body += String(piece);
    received.set(url, `${received.get(url) ?? ""}${body}\n`);
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("an installed hook reports to the collector that the configuration names, and to no other", async () => {
  const [own, other] = [await collector(), await collector()];
  const config = README.replace("http://127.0.0.1:4318", own.origin)
    .replace(
      "{ exporter: metricExporter }",
      "{ exporter: metricExporter, exportIntervalMillis: 1_000, exportTimeoutMillis: 900 }",
    )
    .replace("[otel()]", '[otel(), policy({ files: ["rules.toml"], discover: "none" })]')
    .replace("\n\n", '\nimport { policy } from "@bylaw/plugin-policy";\n\n');
  const rules = '[[rules]]\nname = "no-publish"\naction = "deny"\ncommand = "npm publish *"\n';
  const cwd = scratch({ "bylaw.config.ts": config, "rules.toml": rules });
  mkdirSync(join(cwd, "node_modules"));
  for (const scope of ["@bylaw", "@opentelemetry"])
    symlinkSync(join(root, "node_modules", scope), join(cwd, "node_modules", scope));
  const evil = join(cwd, "evil.mjs");
  writeFileSync(evil, 'import { writeFileSync } from "node:fs"; writeFileSync("loaded", "");');
  const engine = join(cwd, "run");
  onTestFinished(() => enginesIn(engine).forEach((pid) => signal(pid, "SIGKILL")));
  const env = { HOME: cwd };
  const install = ["install", "claude-code", "--project", "--engine", engine];
  expect(bylaw(install, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
  const command = installedCommand(cwd);
  const decide = (id: string) =>
    spawnSync("/bin/sh", ["-c", command], {
      ...{ cwd, encoding: "utf8" as const },
      input: JSON.stringify({
        ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd, tool_use_id: id },
        ...{ tool_name: "Bash", tool_input: { command: "npm publish the-door-is-red" } },
      }),
      // The environment of an agent.
      env: {
        ...{ ...process.env, ...env, NODE_OPTIONS: `--import=${evil}`, OTEL_SDK_DISABLED: "true" },
        OTEL_EXPORTER_OTLP_ENDPOINT: other.origin,
      },
    });
  for (const id of ["t1", "t2"])
    expect(decide(id)).toMatchObject({ status: 0, stdout: expect.stringContaining('"deny"') });
  expect(enginesIn(engine)).toHaveLength(1);
  const spans = (): string => own.received.get("/v1/traces") ?? "";
  await expect.poll(spans, { timeout: 30_000 }).toContain("decide Bash");
  expect(spans()).toContain("no-publish");
  const figures = (): string => own.received.get("/v1/metrics") ?? "";
  await expect.poll(figures, { timeout: 30_000 }).toContain("bylaw.decisions");
  expect(spans() + figures()).not.toContain("the-door-is-red");
  expect(other.received.size).toBe(0);
  expect(existsSync(join(cwd, "loaded"))).toBe(false);
});
