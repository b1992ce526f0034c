import { writeSync } from "node:fs";
import { plain } from "./text.ts";

type Emit = (data: string | Uint8Array, written?: () => void) => boolean;
type Fail = (error: NodeJS.ErrnoException) => void;

let emit: Emit | undefined;
// Set while no stream is open: one answer is written without a stream, because loading streams takes longer than deciding.
let writeFailed: Fail | undefined;

/**
 * Keeps standard output for answers. What a configuration or plugin prints goes to standard error, so that none of it passes for a
 * decision. `failed` must end the process if standard output cannot be written. `alone`: nothing has used the stream yet, so it is
 * opened only when something does.
 */
export function claimOutput(failed: Fail, { alone }: { readonly alone: boolean }): void {
  const open = (): typeof process.stdout => {
    const { stdout, stderr } = process;
    emit = stdout.write.bind(stdout);
    stdout.write = stderr.write.bind(stderr);
    return stdout.on("error", failed);
  };
  if (!alone) return void open();
  const own = Object.getOwnPropertyDescriptor(process, "stdout") ?? {};
  const get = (): typeof process.stdout => {
    Object.defineProperty(process, "stdout", own);
    writeFailed = undefined;
    return open();
  };
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get });
  writeFailed = failed;
}

/** Writes to standard output. Returns a promise if the reader is slow. */
export function write(text: string): Promise<void> | undefined {
  const rest = writeFailed === undefined ? text : writeAtOnce(text, writeFailed);
  if (rest.length === 0) return undefined;
  const { stdout } = process;
  if (emit === undefined ? stdout.write(rest) : emit(rest)) return undefined;
  return new Promise((resolve) => void stdout.once("drain", resolve));
}

/** Writes what fits, and returns the rest. */
function writeAtOnce(text: string, failed: Fail): Uint8Array {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    const fault = error as NodeJS.ErrnoException;
    if (fault.code !== "EAGAIN") failed(fault);
  }
  return rest;
}

/** Waits until everything was written to standard output and standard error. */
export async function written(): Promise<void> {
  const { stderr } = process;
  const streams: readonly Emit[] = [
    ...(emit === undefined ? [] : [emit]),
    stderr.write.bind(stderr),
  ];
  await Promise.all(streams.map((send) => new Promise<void>((done) => void send("", done))));
}

/** Formats a value as one line of JSON without line breaks or control characters inside. */
export function jsonLine(value: unknown): string {
  // JSON has the escaped characters only inside strings, where the escape means the same character.
  return `${plain(JSON.stringify(value))}\n`;
}
