import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { BylawError, messageOf } from "@bylaw/kernel";
import { readMessages, type Peer, type PeerEvents } from "./peer.ts";

/** An MCP server that is started as a program on this machine. */
export interface ServerProgram {
  /** The program and its arguments. No shell runs them. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
}

const GRACE_MS = 2_000;

/** Starts a server. Its standard error is that of this process. Throws BYLAW_MCP_SERVER_FAILED if it cannot be started. */
export async function startServer(
  { command: [file = "", ...args], cwd, env }: ServerProgram,
  limit: number,
  events: PeerEvents,
): Promise<Peer> {
  const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const { stdin, stdout } = child;
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_MCP_SERVER_FAILED",
      message: `Cannot start \`${file}\`: ${messageOf(cause)}`,
      fix: "Check the command behind `--`",
      cause,
    });
  }
  // The exit event already reports a server that has ended.
  stdin.on("error", () => {});
  readMessages(stdout, limit, events);
  const gone = once(child, "exit").then(async ([code, signal]: unknown[]) => {
    // Its last messages may still be in the pipe. A program that it started may keep the pipe open, so the wait is limited.
    if (!stdout.readableEnded) await Promise.race([once(stdout, "close"), wait(500)]);
    events.end(
      typeof code === "number" ? `ended with exit code ${code}` : `was ended by ${String(signal)}`,
    );
  });
  const goes = async (): Promise<boolean> => {
    const timer = new AbortController();
    const late = wait(GRACE_MS, false, { signal: timer.signal }).catch(() => false);
    const soon = await Promise.race([gone.then(() => true), late]);
    timer.abort();
    return soon;
  };
  return {
    send: (text) => void (stdin.writable && stdin.write(`${text}\n`)),
    slow: () => (stdin.writableNeedDrain ? Promise.race([once(stdin, "drain"), gone]) : undefined),
    async close() {
      stdin.end();
      if (await goes()) return;
      child.kill("SIGTERM");
      if (await goes()) return;
      child.kill("SIGKILL");
      await gone;
    },
  };
}
