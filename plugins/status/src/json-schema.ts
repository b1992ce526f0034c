import { z } from "zod";
import { statusSchema } from "./schema.ts";

/** The JSON Schema (2020-12) of `status.json`, as the package ships it in `status.schema.json`. */
export const statusJsonSchema = (): Readonly<Record<string, unknown>> => ({
  title: "status.json of Bylaw",
  ...z.toJSONSchema(statusSchema, { target: "draft-2020-12" }),
});
