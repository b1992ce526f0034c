import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createKernel, type Kernel, type Plugin, type PluginFactory } from "@bylaw/kernel";
import {
  behavior,
  response,
  runExamples,
  toolCall,
  transition,
  type ExampleSet,
} from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { DECISION_CODES } from "./decision-codes.ts";
import { plugins, root, textOf } from "./workspaces.ts";

type TapReport = Awaited<ReturnType<Kernel["explain"]>>["taps"][number];

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  (await import(pathToFileURL(join(root, file)).href)) as Readonly<Record<string, unknown>>;

const tapKey = ({ tap }: Pick<TapReport, "tap">, hook: string): string => `${hook} ${tap}`;

async function tapsOf(plugin: Plugin): Promise<readonly string[]> {
  const kernel = createKernel({ plugins: [plugin] });
  const reports = [toolCall(), transition(), behavior(), response()].map(async (subject) => {
    const { taps } = await kernel.explain(await kernel.prepare(subject));
    return taps.map((tap) => tapKey(tap, subject.hook));
  });
  return (await Promise.all(reports)).flat();
}

describe.each(plugins.map(({ folder, manifest }) => [folder, manifest] as const))(
  "%s",
  (folder, manifest) => {
    const examplesOf = async (): Promise<ExampleSet> => {
      const { examples } = await load(`${folder}/examples.ts`);
      expect(examples, `${folder}/examples.ts exports \`examples\``).toBeDefined();
      return examples as ExampleSet;
    };

    it("has its package's name and version at run time, as built, and no code of the kernel", async () => {
      const entry = manifest.exports?.["."] as { readonly default: string };
      const exported = Object.values(await load(join(folder, entry.default)));
      const defined = exported
        .filter((value) => typeof value === "function" && "plugin" in value)
        .map((factory) => (factory as unknown as PluginFactory<z.ZodType>).plugin);
      expect(defined.map(({ name, version }) => ({ name, version }))).toEqual([
        { name: manifest.name, version: manifest.version },
      ]);
      const codes = defined.flatMap((plugin) => Object.keys(plugin.codes ?? {}));
      // A gate may say that one of its own checks failed. Plugins declare no other code of the kernel.
      const own = DECISION_CODES.filter((code) => code !== "check_failed");
      expect(codes.filter((code) => own.includes(code))).toEqual([]);
      expect((await examplesOf()).plugin).toBe(manifest.name);
    });

    it("decides its examples as they say", async () => {
      const results = await runExamples(await examplesOf());
      expect(
        results.flatMap(({ example, problem }) =>
          problem === undefined ? [] : [[example.name, problem]],
        ),
      ).toEqual([]);
    });

    it("has, for every tap, an example that fires and one that abstains", async () => {
      const set = await examplesOf();
      const made = await Promise.all(
        set.examples.map(({ options }) => tapsOf(set.create(options))),
      );
      const results = await runExamples(set);
      const seen = (votes: (report: TapReport) => boolean): ReadonlySet<string> =>
        new Set(
          results.flatMap(({ example, taps }) =>
            taps.filter(votes).map((tap) => tapKey(tap, example.subject.hook)),
          ),
        );
      const fired = seen(({ votes }) => votes.length > 0);
      // A plugin that denies by default never abstains: it allows.
      const abstained = seen(({ votes }) => votes.every(({ effect }) => effect === "allow"));
      const all = [...new Set(made.flat())];
      const { guards, sinks, redactors } = createKernel({
        plugins: [set.create(set.examples[0]?.options)],
      }).declared;
      const works = all.length + guards.length + sinks.length + redactors.length;
      expect(
        works,
        "a plugin that taps no hook, guards, records and redacts nothing does nothing",
      ).toBeGreaterThan(0);
      expect({ neverFires: all.filter((tap) => !fired.has(tap)) }).toEqual({ neverFires: [] });
      expect({ neverAbstains: all.filter((tap) => !abstained.has(tap)) }).toEqual({
        neverAbstains: [],
      });
    });

    it("explains each of its decision codes and taps in its README", async () => {
      const set = await examplesOf();
      const readme = textOf(`${folder}/README.md`);
      const codes = set.examples.flatMap(({ options }) => [...set.create(options).codes]);
      expect([...new Set(codes)].filter((code) => !readme.includes(`\`${code}\``))).toEqual([]);
      const taps = await Promise.all(
        set.examples.map(({ options }) => tapsOf(set.create(options))),
      );
      const names = [...new Set(taps.flat().map((key) => key.split(" ")[1] ?? ""))];
      expect(names.filter((name) => !readme.includes(`\n### ${name}\n`))).toEqual([]);
    });
  },
);
