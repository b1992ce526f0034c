import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";

/**
 * Evaluates a condition as Radium did: `STEP.result.PROPERTY == VALUE`, where PROPERTY is success,
 * error or a key of the output. A condition it cannot evaluate is true. Pure.
 */
export function radiumCondition(condition: string, context: JsonObject): boolean {
  const parts = condition.split(" == ");
  const [left = "", right = ""] = parts;
  if (parts.length !== 2) return true;
  const path = left.trim().split(".");
  const [step = "", result, property = ""] = path;
  if (path.length !== 3 || result !== "result" || !Object.hasOwn(context, step)) return true;
  const found = context[step] ?? null;
  if (!isJsonObject(found)) return true;
  const wanted = right.trim();
  const quoted = /^'([^]*)'$|^"([^]*)"$/.exec(wanted);
  const literal = quoted?.[1] ?? quoted?.[2] ?? wanted;
  if (property === "success") return found["success"] === (literal === "true");
  if (property === "error") {
    const error = found["error"] ?? null;
    return literal === "null" ? error === null : error === literal;
  }
  const output = found["output"] ?? null;
  if (!isJsonObject(output) || !Object.hasOwn(output, property)) return true;
  return textOf(output[property] ?? null) === literal;
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
