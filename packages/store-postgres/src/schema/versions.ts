import { APPEND_BATCH } from "./append-batch.ts";
import { BEGIN_WRITE } from "./begin-write.ts";
import { TABLES } from "./tables.ts";

/** The SQL that takes a schema from each version to the next, starting from an empty one. Never change an entry that was released. */
export const VERSIONS: readonly string[] = [TABLES + BEGIN_WRITE + APPEND_BATCH];
