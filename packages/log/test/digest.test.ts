import { assert, jsonValue, property } from "fast-check";
import { it } from "vitest";
import { createHash } from "node:crypto";
import { canonicalJson, freezeJson } from "@bylaw/kernel";
import { digestOf } from "../src/index.ts";

it("a digest is SHA-256 over the canonical text, whatever it is of", () => {
  assert(
    property(jsonValue({ noUnicodeString: false }), (value) => {
      let frozen;
      try {
        frozen = freezeJson(value);
      } catch {
        // Keys and texts that nothing else takes either.
        return true;
      }
      const wanted = createHash("sha256").update(canonicalJson(frozen), "utf8").digest("hex");
      return digestOf(frozen) === `sha256:${wanted}`;
    }),
  );
});
