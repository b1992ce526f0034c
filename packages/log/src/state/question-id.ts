import type { Json, LogEvent } from "@bylaw/kernel";
import { digestOf } from "../format/digest.ts";
import { recordedDigest } from "./approval.ts";

const PREFIX = "sha256:".length;
/** 64 bits, so that nobody can craft other artifacts, or another call, with the same id. */
const LENGTH = 16;

/** The id of a question, derived from exactly what it is about. */
export const idOfQuestion = (about: Json): string => digestOf(about).slice(PREFIX, PREFIX + LENGTH);

/** The id of the question that an event asks about a call. */
export const callQuestionId = (run: string, event: LogEvent): string =>
  idOfQuestion({ run, sequence: event.sequence, digest: recordedDigest(event) ?? "" });
