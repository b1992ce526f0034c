import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createKernel } from "@bylaw/kernel";
import { status } from "@bylaw/plugin-status";
import { describe, expect, it } from "vitest";
import { root, workspaces } from "./workspaces.ts";

class Settings {
  readonly plugins = [];
}

/** Wrong first arguments, and the name that the message gives them. */
const MISTAKES: readonly (readonly [kind: string, value: unknown])[] = [
  ["a promise", Promise.resolve({})],
  ["an instance of Map", new Map([["plugins", []]])],
  ["an instance of Set", new Set()],
  ["an instance of Date", new Date(0)],
  ["an instance of Settings", new Settings()],
  ["an array", []],
  ["a string", "bylaw.config.ts"],
  ["a number", 7],
  ["a boolean", true],
  ["a function", () => ({})],
  ["null", null],
  ["nothing", undefined],
];

/** Functions that take no argument at all. */
const WITHOUT_ARGUMENTS = new Set(["createTreeCache"]);
/** Functions that may be called without any argument. */
const OPTIONAL = new Set([
  ...["createCatalogue", "createConfiguredKernel", "createLogVerifier", "createMemoryStore"],
  ...["createOrchestrator", "createSigner", "createStatus"],
]);
/** Functions that also take a factory of plugins. */
const OF_FUNCTIONS = new Set(["defineExamples"]);

interface Entry {
  readonly name: string;
  readonly create: (...args: readonly unknown[]) => unknown;
}

async function entries(): Promise<readonly Entry[]> {
  const found = new Map<string, Entry>();
  for (const { folder, manifest } of workspaces) {
    const resolve = createRequire(join(root, folder, "package.json")).resolve;
    for (const [path, entry] of Object.entries(
      (manifest as { exports?: Record<string, unknown> }).exports ?? {},
    )) {
      if (typeof entry !== "object") continue;
      const file = resolve(`${manifest.name}${path.slice(1)}`, {
        paths: [dirname(join(root, folder))],
      });
      const module = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
      for (const [name, create] of Object.entries(module))
        if (/^(define|create)[A-Z]/.test(name) && typeof create === "function")
          found.set(name, { name, create: create as Entry["create"] });
    }
  }
  return [...found.values()];
}

const functions = await entries();

/** The error that a call throws, or that its promise rejects with; `undefined` if there is none. */
async function thrownBy({ create }: Entry, ...args: readonly unknown[]): Promise<unknown> {
  try {
    await create(...args);
    return undefined;
  } catch (error) {
    return error;
  }
}

it("the packages have functions that define and create", () => {
  expect(functions.length).toBeGreaterThan(15);
  const names = new Set(functions.map(({ name }) => name));
  for (const name of [...WITHOUT_ARGUMENTS, ...OPTIONAL, ...OF_FUNCTIONS])
    expect(names).toContain(name);
});

describe.each(
  functions
    .filter(({ name }) => !WITHOUT_ARGUMENTS.has(name))
    .map((entry) => [entry.name, entry] as const),
)("%s", (name, entry) => {
  const wrong = MISTAKES.filter(
    ([kind]) =>
      !(kind === "nothing" && OPTIONAL.has(name)) &&
      !(kind === "a function" && OF_FUNCTIONS.has(name)),
  );
  it.each(wrong)("refuses %s and names it", async (kind, value) => {
    expect(await thrownBy(entry, value)).toMatchObject({
      name: "BylawError",
      code: expect.stringMatching(/^BYLAW_(CONFIG|PLUGIN|OPTIONS)_INVALID$/),
      message: expect.stringContaining(`${name} was given ${kind} instead of `),
      ...(kind === "a promise" ? { fix: "Await it first." } : {}),
    });
  });
});

describe("later arguments, and options of plugins,", () => {
  it.each(MISTAKES.filter(([kind]) => kind !== "nothing"))("are refused as %s", (kind, value) => {
    expect(() => createKernel({}, value as never)).toThrow(
      `createKernel was given ${kind} instead of `,
    );
    expect(() => status(value as never)).toThrow(/@bylaw\/plugin-status/);
  });

  it("may be objects of another realm or without a prototype", async () => {
    const { runInNewContext } = await import("node:vm");
    const config = runInNewContext('({ fallback: "deny" })') as object;
    for (const one of [
      config,
      Object.assign(Object.create(null) as object, { fallback: "deny" }),
      JSON.parse('{"fallback":"deny"}'),
    ])
      expect(
        createKernel(one as never).decide({ hook: "beforeToolCall", tool: "t", args: {} }),
      ).toMatchObject({ effect: "deny" });
  });
});
