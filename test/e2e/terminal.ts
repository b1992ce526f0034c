import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A program of Node at a terminal, which `script` of util-linux gives it. */
export interface AtTerminal {
  /** Resolves when this text has been shown since the start, or since `forget`. */
  readonly until: (wanted: string) => Promise<void>;
  readonly type: (text: string) => void;
  readonly shown: () => string;
  readonly forget: () => void;
  /** Resolves to the exit code. */
  readonly ended: Promise<unknown>;
}

export function atTerminal(
  cwd: string,
  program: readonly string[],
  env: Readonly<Record<string, string>> = {},
): AtTerminal {
  const words = [process.execPath, ...program].map((word) => `'${word}'`).join(" ");
  // Without `exec` the shell would report an interruption of its own.
  const line = `stty cols 120 rows 40; exec ${words}`;
  const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd,
    env: { ...process.env, TERM: "xterm", CI: "", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  const looks = new Set<() => void>();
  child.stdout.on("data", (text: Buffer) => {
    shown += text.toString();
    for (const look of looks) look();
  });
  return {
    until: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (shown.includes(wanted)) resolve();
        };
        looks.add(look);
        look();
      }),
    type: (text) => void child.stdin.write(text),
    shown: () => shown,
    forget: () => (shown = ""),
    ended: once(child, "close").then(([code]) => code as unknown),
  };
}

/** Runs a program of Node at a terminal, and answers each question as it comes. Returns what the terminal shows. */
export async function answer(
  cwd: string,
  program: readonly string[],
  answers: readonly (readonly [question: string, keys: string])[],
  env?: Readonly<Record<string, string>>,
): Promise<string> {
  const { until, type, shown, ended } = atTerminal(cwd, program, env);
  const asked = (async () => {
    for (const [question, keys] of answers) {
      await until(question);
      type(keys);
    }
  })();
  await Promise.race([asked, ended]);
  await ended;
  return shown();
}
