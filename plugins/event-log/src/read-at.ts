import { readSync } from "node:fs";

/** Reads exactly `length` bytes of a file. Throws if the file is shorter. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let read = 0; read < length;) {
    const count = readSync(fd, buffer, read, length - read, position + read);
    if (count === 0) throw new Error("the file became shorter while it was read");
    read += count;
  }
  return buffer;
}
