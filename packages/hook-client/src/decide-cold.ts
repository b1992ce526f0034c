import { faultOf, isAnswer } from "./fault.ts";
import type { HookAnswer } from "./protocol.ts";

/** Decides an event in a process of its own, which `signal` ends. Never rejects. */
export function decideCold(
  host: string,
  argv: readonly string[],
  { input, signal }: { readonly input: Uint8Array; readonly signal: AbortSignal },
): Promise<HookAnswer> {
  return new Promise((resolve) => {
    // Loaded late, because few hooks need it.
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(process.execPath, argv, { signal, killSignal: "SIGKILL" });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => void (texts[name] += text));
    child.on("error", (error) => resolve(faultOf(host, error.message)));
    child.on("close", (exit) => {
      const answer = { ...texts, exit };
      const errorText = texts.stderr.trim();
      resolve(
        isAnswer(host, answer) ? answer : faultOf(host, errorText || "It ended without an answer"),
      );
    });
    // The program may answer before it has read all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
