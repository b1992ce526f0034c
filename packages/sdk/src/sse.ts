/** One server-sent event, as the stream has it. */
export interface SentEvent {
  readonly id: string | undefined;
  /** None where the stream only says how far it is. */
  readonly data: string | undefined;
}

/** The longest event that is read, in characters: a stream without an end of line must not fill the memory. */
const LONGEST = 8 * 1024 * 1024;

/** Reads a stream of server-sent events (the WHATWG's form). Comments are skipped; an event that the stream cuts off is none. */
export async function* readSent(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  // A line end of two characters may come in two parts.
  let half = false;
  let fields = new Map<string, string>();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += half && value.startsWith("\n") ? value.slice(1) : value;
      half = value.endsWith("\r");
      if (rest.length > LONGEST) throw new RangeError(`Unexpected event of more than ${LONGEST} characters`);
      const lines = rest.split(/\r\n|\n|\r/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== "") {
          collect(fields, line);
          continue;
        }
        const [id, data] = [fields.get("id"), fields.get("data")];
        if (id !== undefined || data !== undefined) yield { id, data };
        fields = new Map();
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function collect(fields: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  if (name === "") return;
  const before = fields.get(name);
  fields.set(name, name === "data" && before !== undefined ? `${before}\n${value}` : value);
}
