import { homedir } from "node:os";
import type { HostPlace } from "@bylaw/host";

/** Where this process runs. */
export const placeHere = (): HostPlace => ({ home: homedir(), env: process.env });
