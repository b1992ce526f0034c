import { homedir } from "node:os";
import type { HostPlace } from "@bylaw/host";

/** The folders and the environment of this process. */
export const placeHere = (): HostPlace => ({
  ...{ home: homedir(), cwd: process.cwd(), env: process.env },
});
