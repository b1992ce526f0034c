import { assert, asyncProperty, jsonValue } from "fast-check";
import { it } from "vitest";
import { digestJson, freezeJson } from "@bylaw/kernel";
import { digestOf } from "../src/index.ts";

it("a digest is that of the kernel, whatever it is of", async () => {
  await assert(
    asyncProperty(jsonValue({ noUnicodeString: false }), async (value) => {
      let frozen;
      try {
        frozen = freezeJson(value);
      } catch {
        // Keys and texts that nothing else takes either.
        return true;
      }
      return digestOf(frozen) === (await digestJson(frozen));
    }),
  );
});
