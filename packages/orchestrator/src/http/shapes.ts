import { z } from "@hono/zod-openapi";
import { isBlank } from "@bylaw/wording";
import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";

/** Shapes in the input or output of several routes. Input is strict, because an unknown key is usually a mistake. */

/** A JSON object, not copied. */
export const jsonObject = z
  .custom<JsonObject>((value) => isJsonObject(value), "must be an object")
  .openapi({ type: "object", additionalProperties: true });

/** Any JSON. Bodies are parsed before they are validated. */
export const anyJson = z
  .custom<Json>((value) => value !== undefined, "must be JSON")
  .openapi({
    type: ["object", "array", "string", "number", "boolean", "null"],
    description: "Any JSON",
  });

/** Text with at least one visible character. */
export const seenText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !isBlank(text), "must not be blank");

export const taskId = seenText(256).openapi({ description: "The id of a task", example: "task-1" });
export const agentId = seenText(256).openapi({
  description: "The name of an agent",
  example: "ann",
});
export const requestId = z
  .string()
  .regex(/^[!-~]{1,255}$/, "must be 1 to 255 visible characters")
  .openapi({
    description:
      "The same request under the same id gets its first answer. The header `Idempotency-Key` does the same",
  });
export const phaseToken = z
  .string()
  .min(1)
  .openapi({ description: "The token, if it is not in the Authorization header" });
export const capability = seenText(256);
export const toolName = z.string().min(1).max(256);
export const callId = z.string().min(1).max(256);

/** A decision of the kernel. */
export const decision = jsonObject.openapi("Decision", {
  type: "object",
  description: "The decision, what made it, and why",
});

/** RFC 9457. */
export const problemShape = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    fix: z.string().optional(),
    decision: decision.optional(),
  })
  .openapi("Problem");
