import { answerInThread } from "@bylaw/engine";

// Everything else is loaded when the thread already tells which files are read.
void answerInThread(async (config) => (await import("./resident.ts")).loadResident(config));
