import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { once } from "node:events";
import { connect, type Server } from "node:net";

const isWindows = process.platform === "win32";

/** The identity of a socket's file. Undefined if there is none. It includes a time, because the next file may get the same inode number. */
export function socketIdentity(path: string): string | undefined {
  if (isWindows) return path;
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.ctimeNs}`;
}

/**
 * Listens on a socket that only this user may use. Only one engine can bind it: returns false if another one listens there.
 * Replaces the socket of an engine that is gone. Throws the errors of listening.
 */
export async function listen(server: Server, path: string): Promise<boolean> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const mask = isWindows ? undefined : process.umask(0o177);
      server.listen(path);
      if (mask !== undefined) process.umask(mask);
      await once(server, "listening");
      if (!isWindows) chmodSync(path, 0o600);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || attempt === 3) {
        // A server whose socket was removed must not keep the process alive. Closing it could remove the socket of another engine.
        server.unref();
        throw error;
      }
    }
    const found = socketIdentity(path);
    if (await answers(path)) return false;
    // Removes it only if it is still the same, because another engine may have replaced it meanwhile.
    if (!isWindows && found !== undefined && found === socketIdentity(path)) unlinkSync(path);
  }
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
