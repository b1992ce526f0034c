import { once } from "node:events";
import { plain } from "./text.ts";

type Emit = (text: string) => boolean;

let emit: Emit | undefined;

/** Keeps standard output for answers. What a configuration or plugin prints goes to standard error, so that none of it passes for a decision. */
export function claimOutput(): void {
  const { stdout, stderr } = process;
  emit = stdout.write.bind(stdout) as Emit;
  stdout.write = stderr.write.bind(stderr);
}

/** Writes to standard output. Returns a promise if the reader is slow. */
export function write(text: string): Promise<void> | undefined {
  if ((emit ?? process.stdout.write.bind(process.stdout))(text)) return undefined;
  return once(process.stdout, "drain").then(() => undefined);
}

/** Formats a value as one line of JSON without line breaks or control characters inside. */
export function jsonLine(value: unknown): string {
  // JSON has the escaped characters only inside strings, where the escape means the same character.
  return `${plain(JSON.stringify(value))}\n`;
}
