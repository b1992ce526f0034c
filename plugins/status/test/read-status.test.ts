import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bylaw/kernel";
import { Ajv2020 } from "ajv/dist/2020.js";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { createStatus, readStatus, statusJsonSchema } from "../src/index.ts";
import { logOf, violation } from "./kit.ts";

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "fixtures", `${name}.json`), "utf8");

describe("readStatus", () => {
  it.each(readCases<[string, null | string]>(import.meta, "massgen-files"))(
    "reads %s of MassGen as it is",
    (name, finish_reason) => {
      const read = readStatus(fixture(name));
      expect(read).toMatchObject({ schema_version: 0, finish_reason });
      const given = JSON.parse(fixture(name)) as {
        readonly agents: Readonly<Record<string, JsonObject>>;
      };
      expect(Object.keys(read.agents)).toEqual(Object.keys(given.agents));
      for (const [id, agent] of Object.entries(given.agents)) {
        expect(read.agents[id]?.status).toBe(agent["status"]);
        expect(read.agents[id]?.reliability).toMatchObject(
          (agent["reliability"] as JsonObject | null | undefined) ?? {
            enforcement_attempts: [],
            outcome: null,
          },
        );
      }
    },
  );

  it("reads what this plugin writes", () => {
    const status = createStatus();
    status.add(logOf(["enforcement", "agent_a", violation()]));
    expect(readStatus(status.text())).toMatchObject({
      schema_version: 1,
      agents: { agent_a: { reliability: status.value().agents["agent_a"]?.reliability } },
    });
  });

  it.each(readCases<[string, string]>(import.meta, "refuses"))("refuses %s", (_, text) => {
    expect(() => readStatus(text)).toFailWith("BYLAW_STATUS_INVALID");
  });
});

describe("the JSON Schema", () => {
  const shipped = JSON.parse(
    readFileSync(join(import.meta.dirname, "../status.schema.json"), "utf8"),
  ) as JsonObject;

  it("in the package is current", () => {
    expect(shipped).toEqual(statusJsonSchema());
  });

  it("accepts every status that is written, and none with an unknown field", () => {
    const fits = new Ajv2020({ strict: false }).compile(shipped);
    const status = createStatus();
    expect(fits(JSON.parse(status.text()))).toBe(true);
    status.add(
      logOf(
        ["enforcement", "agent_a", violation()],
        ["tool_allowed", "agent_b", { tool: "read_file" }],
      ),
    );
    const written = JSON.parse(status.text()) as JsonObject;
    expect(fits(written)).toBe(true);
    expect(fits({ ...written, extra: 1 })).toBe(false);
    expect(fits({ ...written, finish_reason: "done" })).toBe(false);
  });
});
