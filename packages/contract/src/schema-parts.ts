import { isBlank } from "@bylaw/wording";
import { z } from "zod";

/** Text for people. */
export const text = z
  .string()
  .min(1)
  .max(10_000)
  .refine((value) => !isBlank(value), "must not be blank");
/**
 * A name: some text in one line that shows all of itself, so that no two names look alike for an
 * invisible character.
 */
export const name = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cf}](?:[^\p{Cc}\p{Cf}\u2028\u2029]*[^\s\p{Cc}\p{Cf}])?$/u)
  .max(10_000)
  .refine((value) => !isBlank(value), "must not be blank");
/** A list of names. */
export const names = z.array(name);
/** A path; whether it may be followed is asked later. */
export const path = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]+$/u)
  .max(4096);
/** Whole seconds, more than none, a year at most. */
export const duration = z.int().min(1).max(31_536_000);
/** What may be left out, and what it says where it is given. */
export const optional = <Schema extends z.ZodType>(schema: Schema, meaning: string) =>
  schema.optional().describe(meaning);
