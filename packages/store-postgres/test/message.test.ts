import type { PostgresServer } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { createMessage, type Parameters } from "../src/message.ts";
import { draft, faultOf, logOf, placeOn, serverOfFile, upTo } from "./kit.ts";

const server = await serverOfFile();

describe.skipIf(server === undefined)("a batch as the messages it is made of", () => {
  it.each([true, false])("is written as it is, whatever its signs and length, prepared: %s", async (prepared_statements) => {
    const place = placeOn(server as PostgresServer);
    const store = await place.open({ prepared_statements });
    try {
      const texts = ["plain", "ä€\u{1f600}\u0001\\\"'{},", "", "€".repeat(200_000), "\u{1f600}".repeat(90_000), "after"];
      for (const text of texts) {
        const events = upTo(3).map((n) => draft({ details: { n, text } }));
        await Promise.all(["r1", "ä\u{1f600}", "'{\"},"].map((run) => store.commit({ run, seen: 0, events })));
      }
      for (const run of ["r1", "ä\u{1f600}", "'{\"},"]) {
        const log = await logOf(store, run);
        expect([log.length, faultOf(log)]).toEqual([18, undefined]);
        expect(log.map(({ details }) => details["text"])).toEqual(texts.flatMap((text) => [text, text, text]));
      }
    } finally {
      await store.close();
      await place.end();
    }
  });

  it("says of each parameter what the server reads in it", async () => {
    const place = placeOn(server as PostgresServer);
    try {
      const message = createMessage();
      const write = (to: Parameters): void => {
        to.uuid("0f8fad5b-d9cb-469f-a165-70867728950e");
        to.int(-7);
        to.long(2 ** 53 - 1);
        to.ints([1, 2 ** 31 - 1]);
        to.longs([0, 2 ** 32, 2 ** 32 - 1, 2 ** 40 + 5]);
        to.texts(["", "a,b", "NULL", "\u{1f600}"]);
        to.byteas(["", "00ff", "ab".repeat(32)]);
        to.texts([]);
        to.text("ä€\u{1f600}");
        to.bytea("00ff");
        to.text("");
      };
      // A longer one before it leaves nothing behind.
      message.bind("s", 1, (to) => to.texts(["x".repeat(100_000)]));
      const [row] = await place.sql(
        `select $1::uuid::text as uuid, $2::integer as int, $3::bigint::text as long, $4::integer[] as ints, $5::bigint[]::text[] as longs,
          $6::text[] as texts, (select array_agg(encode(b, 'hex')) from unnest($7::bytea[]) b) as bytes, $8::text[] as none,
          $9::text as text, encode($10::bytea, 'hex') as bytea, $11::text as empty`,
        message.values(write),
      );
      expect(row).toEqual({
        uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
        int: -7,
        long: String(2 ** 53 - 1),
        ints: [1, 2 ** 31 - 1],
        longs: ["0", String(2 ** 32), String(2 ** 32 - 1), String(2 ** 40 + 5)],
        texts: ["", "a,b", "NULL", "\u{1f600}"],
        bytes: ["", "00ff", "ab".repeat(32)],
        none: [],
        text: "ä€\u{1f600}",
        bytea: "00ff",
        empty: "",
      });
    } finally {
      await place.end();
    }
  });
});
