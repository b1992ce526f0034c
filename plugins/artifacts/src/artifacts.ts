import { dirname, resolve } from "node:path";
import { loadContract } from "@bylaw/contract";
import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { CODES, artifactJudge } from "./judge.ts";

const names = z.array(z.string().min(1)).default([]);

const artifactOptions = z.strictObject({
  contract: z
    .string()
    .min(1)
    .describe("The contract file, relative to the folder of the configuration"),
  tools: names.describe("Tools of the host that the contract may name besides the built-in ones"),
  checks: names.describe("Checks of other plugins that the contract may name"),
});

/** Denies a transition without the artifacts that its phase requires, and lists everything that is wrong with them. */
export const artifacts = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: artifactOptions,
  codes: CODES,
  apply(kernel, { contract: file, tools, checks }, { configFile }) {
    const folder = configFile === undefined ? process.cwd() : dirname(configFile);
    const contract = loadContract(resolve(folder, file), { tools, checks });
    const judge = artifactJudge(contract);
    kernel.digest(contract.digest);
    kernel.hooks.onTransition.tap("required", ({ from, to, artifacts: handed }) => {
      if (from === undefined) return undefined;
      const ways = contract.transitions.filter((way) => way.from === from && way.to === to);
      // A task that is sent back needs no artifacts.
      if (ways.length > 0 && ways.every(({ when }) => when === "rejected")) return undefined;
      return judge(from, handed);
    });
  },
});
