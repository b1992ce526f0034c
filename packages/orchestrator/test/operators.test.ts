import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, expect, it } from "vitest";
import { createOperatorList } from "../src/auth/operator-list.ts";
import { asOperator, serve } from "./kit.ts";

const TOKEN = "eve's-token-of-this-test-is-long-enough";
const digest = `sha256:${createHash("sha256").update(TOKEN).digest("hex")}`;
const listed = (...names: readonly string[]): string =>
  JSON.stringify({ operators: names.map((name) => ({ name, token: digest })) });

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "data", "operators.json");
  mkdirSync(join(folder, "data"));
});

const write = (text: string): void => writeFileSync(file, text, { mode: 0o600 });

it("a broken file admits none of its operators, is reported once, and affects nobody else", async () => {
  const said: string[] = [];
  const [quiet, error] = [() => {}, (_: object, message: string) => void said.push(message)];
  const at = await serve({ log: { debug: quiet, info: quiet, warn: quiet, error } }, folder);
  const status = async (authorization: string): Promise<number> =>
    (await at.get("/tasks", authorization)).status;
  expect(await status(`Bearer ${TOKEN}`)).toBe(401);
  write(listed("eve"));
  expect(await status(`Bearer ${TOKEN}`)).toBe(200);
  for (const text of ["{", listed(), listed("\u200b"), '{"operators":"all"}']) {
    write(text);
    for (const token of [TOKEN, `${TOKEN}x`, "a-text-that-nobody-knows"])
      expect(await status(`Bearer ${token}`), text).toBe(401);
    expect(await status(asOperator)).toBe(200);
  }
  expect(said).toEqual(
    Array.from(
      { length: 4 },
      () => "the file of operators is broken, so none of its operators is known",
    ),
  );
  expect((await at.events("access_refused")).length).toBe(13);
  write(listed("eve"));
  expect(await status(`Bearer ${TOKEN}`)).toBe(200);
  rmSync(file);
  expect(await status(`Bearer ${TOKEN}`)).toBe(401);
  await at.close();
});

it("a file is read again only when it has changed", () => {
  const faults: unknown[] = [];
  const list = createOperatorList(file, { onBroken: (error) => faults.push(error) });
  expect(list()).toEqual([]);
  write(listed("eve"));
  expect(list().map(({ name }) => name)).toEqual(["eve"]);
  // Right after a change, an equal size may hide another change.
  write(listed("ada"));
  expect(list().map(({ name }) => name)).toEqual(["ada"]);
  chmodSync(file, 0o666);
  for (let left = 3; left > 0; left -= 1)
    expect(list).toThrow(expect.objectContaining({ code: "BYLAW_OPERATORS_INVALID" }) as Error);
  expect(faults.length).toBe(1);
  chmodSync(file, 0o600);
  expect(list().map(({ name }) => name)).toEqual(["ada"]);
});
