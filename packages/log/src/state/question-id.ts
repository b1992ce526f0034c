import type { Json, LogEvent } from "@bylaw/kernel";
import { digestOf } from "../format/digest.ts";
import { recordedDigest } from "./approval.ts";

const PREFIX = "sha256:".length;
/** 64 bits: nobody makes other artifacts, or another call, that have the id of those which were shown. */
const LENGTH = 16;

/** The id of a question: it is about exactly this. */
export const idOfQuestion = (about: Json): string => digestOf(about).slice(PREFIX, PREFIX + LENGTH);

/** The id of the question that an event of a run asks, which is one about a call. */
export const callQuestionId = (run: string, event: LogEvent): string =>
  idOfQuestion({ run, sequence: event.sequence, digest: recordedDigest(event) ?? "" });
