import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a program of Node in a terminal, and answers each question as it comes. Returns what the terminal shows. */
export async function answer(
  cwd: string,
  program: readonly string[],
  answers: readonly (readonly [question: string, keys: string])[],
): Promise<string> {
  const words = [process.execPath, ...program].map((word) => `'${word}'`).join(" ");
  const line = `stty cols 120 rows 40; exec ${words}`;
  const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd,
    env: { ...process.env, TERM: "xterm", CI: "" },
  });
  let said = "";
  const left = [...answers];
  child.stdout.on("data", (text: Buffer) => {
    said += text.toString();
    const [next] = left;
    if (next === undefined || !said.includes(next[0])) return;
    left.shift();
    child.stdin.write(next[1]);
  });
  await once(child, "close");
  return said;
}
