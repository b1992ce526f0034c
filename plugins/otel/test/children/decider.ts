// Joins the session of a log, and records and reports one decision in it.
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { trace } from "@opentelemetry/api";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import { otel } from "../../src/index.ts";

trace.setGlobalTracerProvider(new TracerProvider());
const [path = ""] = process.argv.slice(2);
const store = await openSqliteStore(path);
const kernel = createKernel({ plugins: [otel()], fallback: "allow" });
const run = await openRun(kernel, { run: "main", store, join: true });
await run.toolCall({ tool: "of_the_child", args: {} });
await run.close();
await store.close();
