import { once } from "node:events";
import { plain } from "./text.ts";

type Emit = (text: string) => boolean;

let emit: Emit | undefined;

/**
 * Keeps the standard output for answers: what a configuration or a plugin prints goes to the error stream, so that no line of
 * theirs passes for a decision.
 */
export function claimOutput(): void {
  const { stdout, stderr } = process;
  emit = stdout.write.bind(stdout) as Emit;
  stdout.write = stderr.write.bind(stderr);
}

/** Writes to the standard output; a promise while its reader is slower than we are. */
export function write(text: string): Promise<void> | undefined {
  if ((emit ?? process.stdout.write.bind(process.stdout))(text)) return undefined;
  return once(process.stdout, "drain").then(() => undefined);
}

/** A value as one line of JSON in which nothing is a line break or a control to anybody. */
export function jsonLine(value: unknown): string {
  // Outside of strings JSON has no character that is escaped here, and inside them the escape means the same character.
  return `${plain(JSON.stringify(value))}\n`;
}
