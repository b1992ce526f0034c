// Runs the client in a real browser: its build loads there unchanged, and works under the same contract.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { ENROL, endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { BROWSER, FLAGS } from "./dashboard-kit.ts";

const sdk = join(
  dirname(createRequire(import.meta.url).resolve("@bylaw/sdk/package.json")),
  "dist",
);

// A page without a bundler resolves the one dependency by an import map.
const parser = dirname(
  createRequire(join(sdk, "index.js")).resolve("eventsource-parser/package.json"),
);
const FOLDERS: Readonly<Record<string, string>> = { sdk, parser: join(parser, "dist") };

const PAGE = `<!doctype html>
<script type="importmap">{"imports":{"eventsource-parser":"/parser/index.js"}}</script>
<script type="module">
  const told = [];
  const tell = (value) => fetch("/told", { method: "POST", body: JSON.stringify(value) });
  try {
    const { AgentClient } = await import("/sdk/index.js");
    const agent = new AgentClient({ endpoint: location.origin, agent_id: "page", enrol_secret: "${ENROL}" });
    const { phase, task } = await agent.claimTask();
    told.push(phase, (await agent.readFile("src/index.js")).content ?? "");
    for (const attempt of [() => agent.runCommand("id"), () => agent.requestTransition("TDD"), () => agent.requestTransition("REVIEW")])
      await attempt().catch((error) => told.push(error.name, error.next));
    for await (const { event_type } of agent.events()) if (event_type === "transition_blocked") { told.push(event_type); break; }
    await agent.releaseTask();
    await agent.heartbeat().catch((error) => told.push(error.name));
    await tell(told);
  } catch (error) {
    await tell([String(error), error.stack]);
  }
</script>`;

const site = makeSite(["page"]);
afterAll(endServers);

it.skipIf(BROWSER === undefined)(
  "an agent in a page claims a task, reads, is refused what it may not do, and follows its events",
  async () => {
    const server = await startServer(site, {}, [{ id: "page" }]);
    const { promise: told, resolve: tell } = Promise.withResolvers<unknown>();
    const host = createServer((incoming, outgoing) => {
      const path = incoming.url ?? "";
      if (path.startsWith("/api/v1/")) {
        const onward = request(
          {
            host: "127.0.0.1",
            port: server.port,
            path,
            method: incoming.method,
            headers: incoming.headers,
          },
          (answer) => {
            outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(outgoing);
          },
        );
        outgoing.on("close", () => onward.destroy());
        incoming.pipe(onward);
      } else if (path === "/told") {
        let text = "";
        incoming.on("data", (part) => (text += String(part)));
        incoming.on("end", () => {
          outgoing.end();
          tell(JSON.parse(text));
        });
      } else if (/^\/(?:sdk|parser)\/[a-z-]+\.js$/.test(path)) {
        const [, folder = "", file = ""] = path.split("/");
        outgoing
          .writeHead(200, { "content-type": "text/javascript" })
          .end(readFileSync(join(FOLDERS[folder] ?? "", file)));
      } else outgoing.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
    const browser = spawn(
      BROWSER ?? "",
      ["--headless", ...FLAGS, `--user-data-dir=${site.path("profile")}`, url],
      { stdio: "ignore" },
    );
    onTestFinished(async () => {
      const gone = new Promise((resolve) => browser.once("exit", resolve));
      if (browser.kill("SIGKILL")) await gone;
      host.closeAllConnections();
      host.close();
    });
    expect(await told).toEqual([
      ...[
        "PLAN",
        expect.stringContaining("The adder."),
        "ToolForbidden",
        "change",
        "TransitionBlocked",
        "resolve",
        "RequestInvalid",
        "change",
      ],
      ...["transition_blocked", "NotClaimed"],
    ]);
  },
);
