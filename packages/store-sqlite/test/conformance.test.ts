import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "@bylaw/testing";
import { describe, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";

describeStore(
  "SQLite",
  async ({ now }) => {
    const folder = mkdtempSync(join(tmpdir(), "bylaw-sqlite-"));
    const open = () => openSqliteStore(join(folder, "store.db"), { now, poll_ms: 5 });
    return { store: await open(), reopen: open, stop: () => rmSync(folder, { recursive: true }) };
  },
  { describe, it },
);
