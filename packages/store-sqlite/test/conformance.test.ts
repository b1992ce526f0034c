import { join } from "node:path";
import { describeStore, temporaryFolder } from "@bylaw/testing";
import { describe, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";

describeStore(
  "SQLite",
  async ({ now }) => {
    const folder = temporaryFolder();
    const open = () => openSqliteStore(join(folder, "store.db"), { now, poll_ms: 5 });
    return { store: await open(), reopen: open };
  },
  { describe, it },
);
