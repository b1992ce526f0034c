import { once } from "node:events";

/** Writes to the standard output; a promise while its reader is slower than we are. */
export function write(text: string): Promise<void> | undefined {
  if (process.stdout.write(text)) return undefined;
  return once(process.stdout, "drain").then(() => undefined);
}
