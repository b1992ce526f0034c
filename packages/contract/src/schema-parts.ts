import { isBlank } from "@bylaw/wording";
import { z } from "zod";

/** Text for people. */
export const text = z
  .string()
  .min(1)
  .max(10_000)
  .refine((value) => !isBlank(value), "must not be blank");
/** A name: visible text in one line, so that no two names differ only by an invisible character. */
export const name = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cf}](?:[^\p{Cc}\p{Cf}\u2028\u2029]*[^\s\p{Cc}\p{Cf}])?$/u)
  .max(10_000)
  .refine((value) => !isBlank(value), "must not be blank");
/** A list of names. */
export const names = z.array(name);
/** A path. Whether it may be followed is checked later. */
export const path = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]+$/u)
  .max(4096);
/** Whole seconds, from 1 to one year. */
export const duration = z.int().min(1).max(31_536_000);
/** Makes a key optional and describes it. */
export const optional = <Schema extends z.ZodType>(schema: Schema, meaning: string) =>
  schema.optional().describe(meaning);
