export { openSqliteStore } from "./open.ts";
export type { SqliteOptions } from "./options.ts";
export { openSqliteReader } from "./reader.ts";
