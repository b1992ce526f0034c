import { APPEND_BATCH } from "./append-batch.ts";
import { CHECKED_BATCH } from "./checked-batch.ts";
import { COMMIT } from "./commit.ts";
import { TABLES } from "./tables.ts";
import { TASKS } from "./tasks.ts";

/** What brings a schema from each version to the next, from none to the first on. Never changed once released. */
export const VERSIONS: readonly string[] = [TABLES + COMMIT + CHECKED_BATCH + APPEND_BATCH + TASKS];
