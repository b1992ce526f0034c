import { dirname, resolve } from "node:path";
import { loadContract } from "@bylaw/contract";
import { definePlugin } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import { CODES, artifactJudge } from "./judge.ts";
import { artifactOptions } from "./options.ts";

/**
 * Denies a transition without the artifacts that the phase has to leave behind, with all that is
 * wrong with them.
 */
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
      // Who is sent back has nothing to hand in.
      if (ways.length > 0 && ways.every(({ when }) => when === "rejected")) return undefined;
      return judge(from, handed);
    });
  },
});
