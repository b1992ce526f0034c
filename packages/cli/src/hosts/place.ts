import { homedir } from "node:os";
import type { HostPlace } from "@bylaw/host";

/** The home folder and environment of this process. */
export const placeHere = (): HostPlace => ({ home: homedir(), env: process.env });
