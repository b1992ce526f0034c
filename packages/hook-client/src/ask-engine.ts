import { closeSync, mkdirSync, openSync, unlinkSync } from "node:fs";
import { engineFolderFault, type EnginePlace } from "./engine-place.ts";
import { isAnswer } from "./fault.ts";
import { ENGINE_TIMEOUT_MS, STATUS_UNANSWERED, type HookAnswer } from "./protocol.ts";
import { EngineSilent, requestEngine } from "./request-engine.ts";

/** A request and the engine that answers it. */
export interface EngineQuestion {
  readonly host: string;
  readonly place: EnginePlace;
  readonly fields: Readonly<Record<string, string>>;
  readonly input: Uint8Array;
  /** The arguments for Node that start an engine. */
  readonly start: readonly string[];
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((done) => setTimeout(done, milliseconds));

const START_SECONDS = 3;
const REPLY_MS = ENGINE_TIMEOUT_MS + 1_000;

/** Asks the engine, and starts it if none is running. Resolves to undefined if no engine answered. Never rejects. */
export async function askEngine({
  host,
  place,
  fields,
  input,
  start,
}: EngineQuestion): Promise<HookAnswer | undefined> {
  try {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    if (engineFolderFault(place.folder) !== undefined) return undefined;
  } catch {
    return undefined;
  }
  let engine: { readonly failed: boolean } | undefined;
  // Not `performance`, because loading it takes longer than connecting.
  for (const since = process.uptime(); process.uptime() - since < START_SECONDS; await wait(15)) {
    try {
      const { status, body } = await requestEngine(place, {
        ...{ path: "/hook", fields, input, timeout: REPLY_MS },
      });
      if (status === 200) {
        const answer = JSON.parse(body) as HookAnswer;
        return isAnswer(host, answer) ? answer : undefined;
      }
      if (status === STATUS_UNANSWERED) return undefined;
    } catch (error) {
      if (error instanceof EngineSilent) return giveUp(place);
      engine ??= startEngine(place, start);
    }
    if (engine?.failed === true) return undefined;
  }
  return undefined;
}

// Removes the socket, so that later hooks do not wait for an engine that hangs. If the engine ever continues, it sees that its
// socket is gone and ends.
function giveUp({ socket }: EnginePlace): undefined {
  try {
    if (process.platform !== "win32") unlinkSync(socket);
  } catch {
    // Another hook removed it first.
  }
  return undefined;
}

// The variables that an engine keeps. The engine outlives the hook, so it must not get the hook's secrets.
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|XDG_CONFIG_HOME|SystemRoot|APPDATA|USERPROFILE|ProgramFiles|ProgramData)$/i;

function startEngine({ log }: EnginePlace, argv: readonly string[]): { readonly failed: boolean } {
  const engine = { failed: false };
  let file: number | undefined;
  try {
    file = openSync(log, "a", 0o600);
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name)));
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(process.execPath, argv, {
      ...{ cwd: "/", detached: true, env, windowsHide: true },
      stdio: ["ignore", file, file],
    });
    // The exit code is 0 if another engine is already running.
    child.on("exit", (code) => (engine.failed = code !== 0));
    child.on("error", () => (engine.failed = true));
    child.unref();
  } catch {
    engine.failed = true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return engine;
}
