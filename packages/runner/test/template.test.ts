import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { temporaryFolder } from "@bylaw/testing";
import {
  findTemplates,
  loadTemplate,
  parseTemplate,
  planOf,
  TemplateError,
  templateFile,
  templateJsonSchema,
  templateRunFaults,
  type TemplateFinding,
} from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { templateOf } from "./kit.ts";

const run = { command: ["true"] };

async function faultsOf(text: string, file = "w.yaml"): Promise<readonly TemplateFinding[]> {
  try {
    await parseTemplate(text, { file });
  } catch (error) {
    if (error instanceof TemplateError) return error.findings;
    throw error;
  }
  return [];
}

describe("a faulty template", () => {
  it("is refused for a secret in the URL of its oversight, without repeating it", async () => {
    const oversight = { url: "http://user:s3cret@127.0.0.1:1/x" };
    const refused = await templateOf({ steps: [{ id: "a", run }], oversight }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({
      code: "BYLAW_TEMPLATE_INVALID",
      message: expect.stringContaining("must not contain a user or a password"),
    });
    expect(inspect(refused)).not.toContain("s3cret");
  });

  it("reports all faults at once, in the order of the text, each with its place", async () => {
    const text = `bylaw: 1
name: w
agents:
  coder: { run: { command: ["x", "{promt}"] } }
steps:
  - id: a
    agnet: coder
  - id: b
    retries: -1
`;
    const faults = await faultsOf(text);
    expect(faults.map(({ line, column, fix }) => [line, column, fix])).toEqual([
      [4, 34, undefined],
      [7, 5, "Did you mean `agent`?"],
      [8, 5, undefined],
      [9, 5, undefined],
    ]);
  });

  it("reports all unknown names, and everything without effect", async () => {
    const text = readFileSync(join(import.meta.dirname, "fixtures/template-text.yaml"), "utf8");
    expect((await faultsOf(text)).map(({ line, message }) => `${line} ${message}`)).toEqual([
      "6 No step uses the module `idle`",
      "8 Unknown agent `codr`",
      "9 The step id `a` is given twice",
      "9 The step `later` runs later",
      expect.stringContaining("10 The condition `a.success = true`"),
      "10 Unknown step `nobody`",
      "11 The loop goes 9 steps back, but only 3 come before it",
      "12 `skip` names `a`, which the loop does not repeat; it repeats d",
      "13 The group `alone` has only one step",
      "14 The step `g` runs nothing; give it `agent` or `run`",
      "15 `a.output` needs `output: json` in that step",
      "17 The override `z` does not name a step",
    ]);
  });

  it.each([
    ["w.yaml", "bylaw: 1\nname: [", 2],
    ["w.json", '{"bylaw": 1,\n"name": "w", "name": "x"}', 2],
    ["w.yaml", "bylaw: 2\nname: w\nsteps: [{id: a, run: {command: [x]}}]", 1],
  ])("that is not valid %s is reported with its place", async (file, text, line) => {
    expect(await faultsOf(text, file)).toEqual([
      expect.objectContaining({ code: "BYLAW_TEMPLATE_INVALID", line }),
    ]);
  });

  it("must not pass on variables of the runner", async () => {
    await expect(templateOf({ steps: [{ id: "a", run, env: ["BYLAW_RUN"] }] })).rejects.toThrow(
      /set by the runner/,
    );
  });
});

describe("a template", () => {
  it("is the same in JSON and in YAML", async () => {
    const yaml = "bylaw: 1\nname: w\nsteps:\n  - { id: a, run: { command: [x] } }\n";
    const json = '{"steps":[{"run":{"command":["x"]},"id":"a"}],"name":"w","bylaw":1}';
    const [one, other] = [
      await parseTemplate(yaml, { file: "w.yaml" }),
      await parseTemplate(json, { file: "w.json" }),
    ];
    expect(other).toEqual(one);
  });

  it("takes parts of steps from modules, and overrides take precedence over both", async () => {
    const { template, warnings } = await templateOf({
      modules: { m: { retries: 1, run, loop: { steps: 1 } } },
      steps: [
        { id: "a", run },
        { id: "b", module: "m", retries: 2 },
        { id: "c", module: "m" },
      ],
      overrides: { b: { retries: 5, timeout_seconds: 7 }, c: { retries: 1 } },
    });
    expect(
      template.steps.map(({ retries, timeout_seconds, loop }) => [
        retries,
        timeout_seconds,
        loop?.steps,
      ]),
    ).toEqual([
      [0, 3_600, undefined],
      [5, 7, 1],
      [1, 3_600, 1],
    ]);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ["BYLAW_TEMPLATE_NO_EFFECT", "The override of `retries` has no effect: `c` says the same"],
    ]);
  });

  it("has a plan with the conditions of each step", async () => {
    const { template } = await templateOf({
      steps: [
        { id: "a", run },
        { id: "b", run: { function: "f" }, when: "a.success == true", loop: { steps: 1 } },
      ],
    });
    expect(planOf(template)).toEqual([
      { index: 0, step: "a", agent: null, run: ["true"], notes: [] },
      {
        index: 1,
        step: "b",
        agent: null,
        run: "f",
        notes: ["when a.success == true", "may go back to a, at most 10 times"],
      },
    ]);
    expect(templateRunFaults(template)).toEqual(["step `b` needs the function `f`"]);
    expect(templateRunFaults(template, ["f"])).toEqual([]);
  });

  it("fits the published schema", () => {
    const published = JSON.parse(
      readFileSync(new URL("../template.schema.json", import.meta.url), "utf8"),
    ) as unknown;
    expect(published).toEqual(JSON.parse(JSON.stringify(templateJsonSchema())));
  });
});

describe("a template of an older format", () => {
  const folder = join(import.meta.dirname, "fixtures");
  const files = ["radium", "codemachine"].flatMap((dialect) =>
    readdirSync(join(folder, dialect)).map((name) => [dialect, name] as const),
  );

  it.each(files)("of %s is read: %s", async (dialect, name) => {
    const { template } = await loadTemplate(join(folder, dialect, name));
    expect(template.dialect).toBe(dialect);
    expect(template.steps.length).toBeGreaterThan(0);
  });

  it("goes back as many steps as before, without separators, and skips the steps of the agents it names", async () => {
    const { template } = await loadTemplate(join(folder, "codemachine", "codemachine.json"));
    const looped = template.steps.filter(({ loop }) => loop !== null);
    expect(looped.map(({ id, loop }) => [id, loop?.skip])).toEqual([
      ["check-task", ["runtime-prep"]],
    ]);
  });

  it("runs if a file of agents has the commands", async () => {
    const agents = { planner: run, executor: run, reviewer: run };
    const said = Object.fromEntries(
      Object.entries(agents).map(([id, invocation]) => [id, { run: invocation }]),
    );
    const at = temporaryFolder();
    writeFileSync(join(at, "agents.json"), JSON.stringify(said));
    const file = join(folder, "radium", "basic-workflow.json");
    expect(templateRunFaults((await loadTemplate(file)).template)).toHaveLength(3);
    expect(
      templateRunFaults((await loadTemplate(file, { agents: join(at, "agents.json") })).template),
    ).toEqual([]);
  });

  it("cannot run if a command has a value that nothing defines", async () => {
    const { template } = await loadTemplate(join(folder, "radium", "deployment-workflow.json"));
    expect(templateRunFaults(template)).toContain("step `deploy` leaves `${environment}` open");
  });

  it("is refused if its loop can never run", async () => {
    const text =
      '{"name":"w","steps":[{"agentId":"a","type":"step"},{"agentId":"b","type":"module","module":{"type":"loop","action":"stepBack"}}]}';
    expect(await faultsOf(text, "w.json")).toEqual([
      expect.objectContaining({ message: expect.stringContaining("must say how many steps") }),
    ]);
  });
});

describe("finding templates", () => {
  const text = (name: string): string =>
    `bylaw: 1\nname: ${name}\nsteps: [{ id: a, run: { command: [x] } }]\n`;

  it("follows one order of precedence, and reports hidden and broken templates", async () => {
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    for (const at of [
      join(cwd, "templates/workflows"),
      join(cwd, ".bylaw/templates"),
      join(home, ".bylaw/templates"),
    ])
      mkdirSync(at, { recursive: true });
    writeFileSync(join(home, ".bylaw/templates/one.yaml"), text("one"));
    writeFileSync(
      join(home, ".bylaw/templates/broken.yaml"),
      "bylaw: 1\nname: broken\nsteps: []\n",
    );
    writeFileSync(join(cwd, ".bylaw/templates/other-file.yaml"), text("one"));
    writeFileSync(join(cwd, "templates/workflows/two.yaml"), text("two"));
    writeFileSync(join(cwd, "templates/page.json"), '{"title": "no template"}');
    const { templates, findings } = await findTemplates({ cwd, home });
    expect(templates.map(({ name, file, hidden_by }) => [name, file, hidden_by])).toEqual([
      ["two", join(cwd, "templates/workflows/two.yaml"), null],
      ["one", join(cwd, ".bylaw/templates/other-file.yaml"), null],
      [
        "one",
        join(home, ".bylaw/templates/one.yaml"),
        join(cwd, ".bylaw/templates/other-file.yaml"),
      ],
    ]);
    expect(findings.map(({ file, line }) => [file, line])).toEqual([
      [join(home, ".bylaw/templates/broken.yaml"), 3],
    ]);
    expect(await templateFile("one", { cwd, home })).toBe(
      join(cwd, ".bylaw/templates/other-file.yaml"),
    );
    await expect(templateFile("broken", { cwd, home })).rejects.toFailWith(
      "BYLAW_TEMPLATE_INVALID",
    );
    await expect(templateFile("tow", { cwd, home })).rejects.toMatchObject({
      code: "BYLAW_TEMPLATE_MISSING",
      fix: "Did you mean `two`?",
    });
  });
});
