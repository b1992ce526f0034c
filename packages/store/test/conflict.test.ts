import { expect, it } from "vitest";
import { BylawError } from "@bylaw/kernel";
import { StoreConflict } from "../src/index.ts";

it("recognizes a conflict thrown by another copy of this package", () => {
  const other = Object.assign(new Error("Unexpected fence 1"), {
    name: "StoreConflict",
    what: "fence",
  });
  expect(other instanceof StoreConflict).toBe(true);
  expect(new StoreConflict("seen", "Unexpected event") instanceof StoreConflict).toBe(true);
  for (const none of [
    new Error("no"),
    new BylawError({ code: "BYLAW_RUN_CLOSED", message: "no" }),
    { name: "StoreConflict", what: "fence" },
    null,
  ])
    expect(none instanceof StoreConflict).toBe(false);
});
