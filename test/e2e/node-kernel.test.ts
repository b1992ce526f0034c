import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNodeKernel } from "@bylaw/config";
import { recommended } from "@bylaw/ruleset-recommended";
import { policy } from "@bylaw/plugin-policy";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";

const READ_ALL =
  'default = "deny"\n[[rules]]\nname = "read"\naction = "allow"\ntool = "read_file"\n';

const read = (path: string) =>
  ({ hook: "beforeToolCall", tool: "read_file", args: { path } }) as const;

it("denies a read through a link to a protected file, without folders in the policy", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, ".env"), "TOKEN=1");
  writeFileSync(join(cwd, "plain.txt"), "");
  symlinkSync(".env", join(cwd, "notes.txt"));
  const config = {
    extends: [recommended],
    plugins: [policy({ text: READ_ALL, discover: "none" })],
  };
  const kernel = createNodeKernel(config, { cwd });
  expect((await kernel.decide(read("plain.txt"))).effect).toBe("allow");
  expect((await kernel.decide(read("notes.txt"))).effect).toBe("deny");
  expect((await kernel.explain(read("notes.txt"))).decision.effect).toBe("deny");
  const prepared = await kernel.prepare(read("notes.txt"));
  expect((await kernel.decidePrepared(prepared)).effect).toBe("deny");
  expect((await kernel.decide(prepared)).effect).toBe("deny");
});

it("gives a call the folders that it does not name", async () => {
  const kernel = createNodeKernel({}, { cwd: "/w/here", home: "/h" });
  expect(await kernel.prepare(read("a"))).toMatchObject({
    ...{ cwd: "/w/here", workspace: "/w/here", home: "/h" },
  });
  expect(await kernel.prepare({ ...read("a"), cwd: "/other", home: "/me" })).toMatchObject({
    ...{ cwd: "/other", workspace: "/other", home: "/me" },
  });
});
