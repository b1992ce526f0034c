import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { POLICY, json, jsonLines, workplace } from "./bylaw.ts";

const WITH = ["--policy", "policy.toml"];
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

test.each(readCases<[string, string, (number | string)?]>(import.meta, "ids"))(
  "an id comes back unchanged or not at all: %s",
  async (_, input, id) => {
    const { run } = workplace({ "policy.toml": POLICY });
    const [answer] = jsonLines(await run(["check", "--batch", "-", "--json", ...WITH], { input }));
    expect(answer).toMatchObject({ effect: "deny", code: "invalid_call" });
    expect(answer?.["id"]).toBe(id);
  },
);

test("no answer contains a character that ends a line or that a terminal acts on", async () => {
  const { run } = workplace({ "policy.toml": POLICY });
  const id = "a\u2028b\u2029c\u0085d\u009be\u202ef";
  const ran = await run(["check", "--batch", "-", "--json", ...WITH], {
    input: line({ id, tool: "drop_x", args: {} }),
  });
  expect(ran.stdout).not.toMatch(/[\u2028\u2029\u0085\u009b\u202e]/);
  expect(json(ran)).toMatchObject({ id, effect: "deny", code: "rule_denied" });
});

test.each(["cwd", "workspace", "home", "agent", "phase", "server", "approval_mode", "interactive"])(
  "a null as %s is an invalid call",
  async (key) => {
    const { run } = workplace({ "policy.toml": POLICY });
    const input = line({ id: 1, tool: "read_file", args: {}, [key]: null });
    expect(json(await run(["check", "--batch", "-", "--json", ...WITH], { input }))).toMatchObject({
      id: 1,
      code: "invalid_call",
    });
  },
);

test.skipIf(process.platform === "win32")(
  "a relative HOME is ignored, and is no folder below the working directory",
  async () => {
    const { run } = workplace({
      "bylaw.config.ts": `
import { defineConfig, definePlugin, deny } from "@bylaw/kernel";
import { z } from "zod";
const teller = definePlugin({ name: "teller", version: "1.0.0", options: z.undefined(), apply({ hooks }) {
  hooks.beforeToolCall.tap("t", ({ home }) => deny(home === undefined ? "no home" : home));
} });
export default defineConfig({ plugins: [teller()] });`,
    });
    const home = async (HOME: string): Promise<unknown> =>
      json(await run("check --tool x --json", { env: { HOME } }))["reason"];
    for (const relative of ["home", "./home", "../home", ""])
      expect([relative, await home(relative)]).toEqual([relative, "no home"]);
    expect(await home("/home/me")).toBe("/home/me");
  },
);
