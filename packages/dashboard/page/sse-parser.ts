/** Reads the events of a stream of our server part by part: each has one id, and its data on one line, and ends with an empty line. */
export function createSseParser(
  onEvent: (id: number, data: string) => void,
): (part: string) => void {
  let parts: string[] = [];
  return (part) => {
    parts.push(part);
    if (!part.includes("\n")) return;
    const blocks = parts.join("").split("\n\n");
    parts = [blocks.pop() ?? ""];
    for (const block of blocks) {
      const [, data] = /^data: ?(.*)$/m.exec(block) ?? [];
      const [, id] = /^id: ?(\d+)$/m.exec(block) ?? [];
      if (data !== undefined && id !== undefined) onEvent(Number(id), data);
    }
  };
}
