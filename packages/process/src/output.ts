import { createHash } from "node:crypto";

/**
 * How much of a stream to keep, in bytes: of its beginning, its end, or both. The part between is
 * only counted.
 */
export interface OutputLimit {
  readonly first?: number;
  readonly last?: number;
}

/** The output on one stream. */
export interface Output {
  /**
   * The kept output as UTF-8. If a part between beginning and end was dropped, a line says how many
   * bytes.
   */
  readonly text: string;
  /** The number of bytes in all. */
  readonly bytes: number;
  /** `sha256:` and 64 hexadecimal digits, over all bytes. */
  readonly digest: string;
  /** Whether a part was dropped. */
  readonly cut: boolean;
}

/** Collects a stream while it is read. */
export interface Collector {
  readonly add: (chunk: Uint8Array) => void;
  readonly bytes: () => number;
  readonly output: () => Output;
}

export function collect({ first = 0, last = 0 }: OutputLimit): Collector {
  const hash = createHash("sha256");
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  let [bytes, kept, tailBytes] = [0, 0, 0];

  function addToTail(chunk: Uint8Array): void {
    if (last === 0 || chunk.length === 0) return;
    tail.push(chunk);
    tailBytes += chunk.length;
    while (tailBytes - (tail[0]?.length ?? tailBytes) >= last)
      tailBytes -= tail.shift()?.length ?? 0;
  }

  return {
    add(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      const fits = chunk.subarray(0, Math.max(0, first - kept));
      if (fits.length > 0) head.push(fits);
      kept += fits.length;
      addToTail(chunk.subarray(fits.length));
    },
    bytes: () => bytes,
    output() {
      const end = Buffer.concat(tail).subarray(Math.max(0, tailBytes - last));
      const missing = bytes - kept - end.length;
      const cut = missing > 0;
      const between = cut && kept > 0 && end.length > 0 ? `\n[${missing} bytes left out]\n` : "";
      const text = cut
        ? beforeCut(Buffer.concat(head)) + between + afterCut(end)
        : whole(Buffer.concat([...head, end]));
      return { text, bytes, digest: `sha256:${hash.copy().digest("hex")}`, cut };
    },
  };
}

const whole = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

// Drops a character that the cut splits.
const beforeCut = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

function afterCut(bytes: Uint8Array): string {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return whole(bytes.subarray(at));
}
