import { pathTemplate } from "@bylaw/log";
import { z } from "zod";
import { pathFault } from "./redacted-paths.ts";

const keys = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "client_secret",
  "authorization",
  "api_key",
  "apikey",
  "private_key",
];
const path = z.string().superRefine((text, context) => {
  const fault = pathFault(text);
  if (fault !== undefined)
    context.addIssue(`is not a path of the details: \`${text}\` has ${fault}`);
});
const keyFile = z.string().min(1);

export const eventLogOptions = z
  .strictObject({
    file: pathTemplate
      .default(".bylaw/logs/{run}.jsonl")
      .describe(
        "The file of a run, relative to the folder of the configuration; `{run}` stands for its name. One file holds one run.",
      ),
    durability: z
      .enum(["strict", "batched"])
      .default("strict")
      .describe(
        "`strict`: an event is on the disk before the operation that caused it proceeds. `batched`: it is in the file, and on the disk within `flush_ms`.",
      ),
    flush_ms: z
      .int()
      .min(1)
      .max(60_000)
      .default(100)
      .describe("With `batched`: milliseconds until what was written is on the disk."),
    rotate: z
      .strictObject({
        bytes: z.int().min(1).optional().describe("The size in bytes that a file does not exceed."),
        daily: z
          .boolean()
          .default(false)
          .describe("Whether each day, in UTC by the times of the events, begins a new file."),
      })
      .prefault({})
      .describe("When a file is full and a new one begins. Default: never."),
    redact: z
      .strictObject({
        paths: z
          .array(path)
          .default([...keys, "access_token", "refresh_token", "id_token"].map((key) => `**.${key}`))
          .describe(
            "The places of these values in the details: keys joined by dots, `*` for any one key, `**` for any number.",
          ),
        secrets: z
          .boolean()
          .default(true)
          .describe("Whether to find secrets by their form, in any text."),
        key_file: keyFile
          .optional()
          .describe("A key for HMAC digests, so that short secrets cannot be guessed from them."),
      })
      .prefault({})
      .describe("Values to remove from an event before anything stores it; a digest stays."),
    sign: z
      .strictObject({
        key_file: keyFile.describe(
          "An Ed25519 private key, PKCS #8 in PEM, that only its owner can read.",
        ),
        every_ms: z
          .int()
          .min(0)
          .max(3_600_000)
          .default(1_000)
          .describe("The least milliseconds between two signatures."),
      })
      .optional()
      .describe(
        "Signs how far the log has come, into `<file>.heads`, so that a missing end is detected.",
      ),
  })
  .prefault({});
