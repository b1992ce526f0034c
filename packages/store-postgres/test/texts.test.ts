import type { PostgresServer } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { draft, faultOf, logOf, placeOn, serverOfFile, upTo } from "./kit.ts";

const server = await serverOfFile();

describe.skipIf(server === undefined)("a batch of any text", () => {
  it.each([true, false])(
    "is stored unchanged, whatever its characters and length; prepared statements: %s",
    async (prepared_statements) => {
      const place = placeOn(server as PostgresServer);
      const store = await place.open({ prepared_statements });
      try {
        const texts = [
          "plain",
          "ä€\u{1f600}\u0001\\\"'{},",
          "",
          "€".repeat(200_000),
          "\u{1f600}".repeat(90_000),
          "after",
        ];
        for (const text of texts) {
          const events = upTo(3).map((n) => draft({ details: { n, text } }));
          await Promise.all(
            ["r1", "ä\u{1f600}", "'{\"},"].map((run) => store.commit({ run, seen: 0, events })),
          );
        }
        for (const run of ["r1", "ä\u{1f600}", "'{\"},"]) {
          const log = await logOf(store, run);
          expect([log.length, faultOf(log)]).toEqual([18, undefined]);
          expect(log.map(({ details }) => details["text"])).toEqual(
            texts.flatMap((text) => [text, text, text]),
          );
        }
      } finally {
        await store.close();
        await place.end();
      }
    },
  );
});
