import { join } from "node:path";
import { crashStore, temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";

it("keeps every acknowledged write, and no partial one, when its writers are killed", async () => {
  const folder = temporaryFolder();
  const module = new URL("../dist/index.js", import.meta.url).href;
  const report = await crashStore({
    store: { module, open: "openSqliteStore", args: [join(folder, "store.db")] },
    rounds: 10,
    seed: 7,
  });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBe(30);
  expect(report.acknowledged).toBeGreaterThan(100);
});
