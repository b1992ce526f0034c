import { APPEND_BATCH } from "./append-batch.ts";
import { CHECKED_BATCH } from "./checked-batch.ts";
import { COMMIT } from "./commit.ts";
import { TABLES } from "./tables.ts";
import { TASKS } from "./tasks.ts";

/** The SQL that takes a schema from each version to the next, starting from an empty one. Never change an entry that was released. */
export const VERSIONS: readonly string[] = [TABLES + COMMIT + CHECKED_BATCH + APPEND_BATCH + TASKS];
