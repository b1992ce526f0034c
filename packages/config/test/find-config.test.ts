import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findConfig } from "../src/index.ts";
import { project } from "./project.ts";

test.runIf(process.getuid?.() === 0)(
  "refuses a configuration of another user in a folder above, unless the search begins in that user's folder",
  async () => {
    const root = project({ "bylaw.config.json": "{}", "job/x": "" });
    const file = join(root, "bylaw.config.json");
    const job = join(root, "job");
    expect(await findConfig(job)).toBe(file);
    chownSync(file, 12_345, 12_345);
    await expect(findConfig(job)).rejects.toMatchObject({
      code: "BYLAW_CONFIG_UNLOADABLE",
      source: { file },
    });
    expect(await findConfig(root)).toBe(file);
    chownSync(job, 12_345, 12_345);
    expect(await findConfig(job)).toBe(file);
  },
);

test("a folder that does not exist has no configuration of its own", async () => {
  const root = project({ "bylaw.config.json": "{}" });
  mkdirSync(join(root, "a"));
  expect(await findConfig(join(root, "a"))).toBe(join(root, "bylaw.config.json"));
});
