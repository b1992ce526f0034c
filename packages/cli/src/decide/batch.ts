import { isUtf8 } from "node:buffer";
import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, messageOf, type Kernel, type ToolCall } from "@bylaw/kernel";
import { decideHere } from "./ask-run.ts";
import { answerOf, type Answer } from "./answer.ts";
import { callFromLine, type CallDefaults } from "./call.ts";
import { inputFault, openInput } from "../io/input.ts";
import { idIn } from "./json-entries.ts";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "../io/split-lines.ts";
import { write } from "../io/output.ts";

export interface BatchOptions {
  readonly kernel: Kernel;
  readonly defaults: CallDefaults;
  readonly explain: boolean;
  /** Formats the answer to one line. `call` is undefined if the line was not a call. */
  readonly render: (answer: Answer, call: ToolCall | undefined) => string;
}

// The most characters to collect before writing, so that a chunk with many short lines does not fill the memory.
const PORTION = 65_536;

/** Answers every line of a file, or of standard input for `-`, in order and in constant memory. */
export async function answerBatch(file: string, options: BatchOptions): Promise<void> {
  let first = true;
  try {
    for await (const lines of linesOf(openInput(file))) {
      let text = "";
      for (const line of lines) {
        const bytes = first && line !== TOO_LONG ? withoutMark(line) : line;
        first = false;
        text += await answerLine(bytes, options);
        if (text.length < PORTION) continue;
        await write(text);
        text = "";
      }
      if (text !== "") await write(text);
    }
  } catch (error) {
    const message = inputFault(error, file);
    throw message === undefined ? error : unreadable(file, message, error);
  }
}

// INVARIANT: every line that is not blank gets exactly one answer, and no line ends the batch.
async function answerLine(
  line: Buffer | typeof TOO_LONG,
  { kernel, defaults, explain, render }: BatchOptions,
): Promise<string> {
  const refuse = (error: unknown, id?: string | number): string =>
    render(refusal(kernel, error, id), undefined);
  if (line === TOO_LONG)
    return refuse(new Error(`The line is longer than ${LINE_LIMIT_BYTES} bytes`));
  if (!isUtf8(line)) return refuse(new Error("The line is not valid UTF-8"));
  const text = line.toString("utf8");
  if (/^[ \t\r]*$/.test(text)) return "";
  let answer: Answer;
  let call: ToolCall;
  try {
    const asked = callFromLine(parseJson(text), defaults);
    call = asked.call;
    answer = answerOf(await decideHere(kernel, call), { id: asked.id, explain });
  } catch (error) {
    return refuse(error, idIn(text));
  }
  return render(answer, call);
}

function refusal(kernel: Kernel, error: unknown, id: string | number | undefined): Answer {
  const fix = isBylawError(error) ? error.fix : undefined;
  return {
    ...(id === undefined ? {} : { id }),
    effect: "deny",
    code: "invalid_call",
    reason: messageOf(error),
    ...(fix === undefined ? {} : { fix }),
    enforcement_mode: kernel.enforcement_mode,
  };
}

function withoutMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

function unreadable(file: string, message: string, cause: unknown): BylawError {
  return new BylawError({
    code: "BYLAW_BATCH_UNREADABLE",
    message,
    fix: "Name a file, or - for standard input",
    source: { file },
    cause,
  });
}
