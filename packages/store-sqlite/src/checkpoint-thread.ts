// Takes the log beside a file over into it, in a thread of its own with a connection of its own.
import { parentPort, workerData } from "node:worker_threads";
import { NONE, type State, type Word } from "./checkpoints.ts";
import { configure } from "./connect.ts";
import { loadEngine } from "./engine.ts";
import { SCHEMA_VERSION, versionOf } from "./schema.ts";

/** What was written meanwhile is little, and is taken over too, so many times: only when nothing is left can the log begin anew. */
const ROUNDS = 8;

const { path } = workerData as { readonly path: string };
const engine = await loadEngine();
// Who is in the way is not waited for: it is asked for again soon.
const db = new engine(path, { timeout: 0, fileMustExist: true });
// Of a file that was replaced since, nothing is changed.
if (versionOf(db, path) !== SCHEMA_VERSION)
  throw new Error(`${path} is not the store that was opened`);
configure(db, path);
const passive = db.prepare("pragma wal_checkpoint(passive)");
const state = db.prepare<[], State>("pragma wal_checkpoint(noop)");

function checkpoint(): Word {
  try {
    for (let left = ROUNDS; left > 0; left -= 1) {
      passive.get();
      const { log, checkpointed } = state.get() ?? NONE;
      if (checkpointed >= log) break;
    }
    return "ready";
  } catch {
    // What is taken over and not durable stands in the log as before.
    return "failed";
  }
}

parentPort?.on("message", (wanted: "checkpoint" | "close") => {
  if (wanted === "checkpoint") {
    parentPort?.postMessage(checkpoint());
    return;
  }
  db.close();
  parentPort?.close();
});
parentPort?.postMessage("ready" satisfies Word);
