import { runHookThread } from "@bylaw/engine";

// Everything else is loaded after this thread started to report which files it reads.
void runHookThread(async (config) => (await import("./resident.ts")).loadResident(config));
