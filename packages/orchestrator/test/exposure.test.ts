import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { ENROL, OPERATOR, serve, type ServeOptions } from "./kit.ts";

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});

type Settings = NonNullable<ServeOptions["settings"]>;
/** Whether a server would start, or the error that prevents it. */
async function startOf(
  settings: Settings,
  secrets: ServeOptions["secrets"] = { operator: OPERATOR },
): Promise<string> {
  try {
    const at = await serve({ settings, secrets: { enrol: ENROL, ...secrets } });
    await at.close();
    return "started";
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return code === "BYLAW_SETTINGS_INVALID" ? message : String(error);
  }
}
const tls = { cert: "cert.pem", key: "key.pem" };
const ELSEWHERE = readCases<string>(import.meta, "elsewhere");

describe("a server on an address that other machines reach", () => {
  it.each(ELSEWHERE)("does not start on %s without TLS or an operator", async (host) => {
    expect(await startOf({ host })).toMatch(/^Other machines can reach `.*TLS/);
    expect(await startOf({ host, allow_no_operator: true })).toMatch(/TLS/);
    expect(await startOf({ host, tls }, { operator: undefined })).toMatch(
      /^Other machines can reach `.*operator/,
    );
  });

  it.each<[string, Settings, string | undefined]>([
    ["with both", { tls }, OPERATOR],
    ["without TLS if that is allowed", { allow_plain_http: true }, OPERATOR],
    ["without an operator if that is allowed", { tls, allow_no_operator: true }, undefined],
  ])("starts there %s", async (_, settings, operator) =>
    expect(await startOf({ host: "0.0.0.0", ...settings }, { operator })).toBe("started"),
  );

  it("has an operator if the file lists one", async () => {
    const token = `sha256:${createHash("sha256").update("the-token-of-eve-is-long-enough-for-this").digest("hex")}`;
    mkdirSync(join(folder, "data"));
    const operators_file = join(folder, "data", "operators.json");
    writeFileSync(operators_file, JSON.stringify({ operators: [{ name: "eve", token }] }), {
      mode: 0o600,
    });
    expect(
      await startOf({ host: "0.0.0.0", tls, auth: { operators_file } }, { operator: undefined }),
    ).toBe("started");
  });
});

it.each(readCases<string>(import.meta, "loopback"))(
  "a server on %s needs neither, because only its own machine can reach it",
  async (host) => {
    expect(await startOf({ host }, { operator: undefined })).toBe("started");
  },
);
