import { expect, it } from "vitest";
import { z } from "zod";
import { createKernel, definePlugin, type Plugin } from "@bylaw/kernel";
import { notingOptionFaults } from "../src/option-faults.ts";

const strict = definePlugin({
  ...{
    name: "strict",
    version: "1.0.0",
    options: z.strictObject({ most: z.number() }),
    grants: true,
  },
  apply: (kernel) => kernel.fallback("allow"),
});
const wrong = { most: "many" } as never;

it("a plugin with wrong options is noted while faults are collected, and no kernel takes it", async () => {
  const noted: string[] = [];
  const plugins = await notingOptionFaults(
    ({ message }) => noted.push(message),
    async (): Promise<readonly Plugin[]> => [strict(wrong), strict({ most: 1 }), strict(wrong)],
  );
  expect(noted).toEqual(Array(2).fill("Options of strict: `most` must be a number"));
  for (const kept of [plugins, plugins.slice(0, 1)])
    expect(() => createKernel({ plugins: kept })).toThrow(/strict/);
});

it("wrong options throw before and after collecting, also if the work fails", async () => {
  const failing = notingOptionFaults(
    () => {},
    async () => {
      throw new Error("stumbled");
    },
  );
  await expect(failing).rejects.toThrow("stumbled");
  expect(() => strict(wrong)).toThrow("Options of strict");
});
