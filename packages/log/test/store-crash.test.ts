import { crashStore } from "@bylaw/testing";
import { expect, it } from "vitest";

it("the crash test notices a store that acknowledges writes which are only in its memory", async () => {
  const module = new URL("../dist/index.js", import.meta.url).href;
  const { acknowledged, events, faults } = await crashStore({
    store: { module, open: "createMemoryStore", args: [] },
    rounds: 4,
    writers: 2,
  });
  expect(acknowledged).toBeGreaterThan(0);
  expect([events, faults.length]).toEqual([0, acknowledged]);
});
