import { z } from "zod";

// The messages of the schemas complete the sentence "The key must be …".

/** Non-empty text. */
export const text = (what: string) =>
  z.string({ error: what }).min(1, { error: `${what} that is not empty` });

/** Non-empty text, or a list of such texts. */
export const texts = (what: string) =>
  z.union([text(what), z.array(text(what)).min(1)], { error: `${what}, or a list of them` });

/** True or false. */
export const flag = z.boolean({ error: "true or false" });

/** One of a few words. */
export const oneOf = <const T extends string>(values: readonly T[]) =>
  z.enum(values as readonly [T, ...T[]], { error: `one of ${values.join(", ")}` });
