import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_MODEL, type Desk, type Drive } from "./desk.ts";
import type { Script } from "./model.ts";
import type { Program } from "./programs.ts";
import type { ModelCall } from "./protocols.ts";

/** A named property of a program. Its body returns the fault, or undefined. */
export type Check = readonly [name: string, body: (desk: Desk) => Promise<string | undefined>];

const POLICY = `
[[rules]]
name = "no-denied"
action = "deny"
command = "mkdir denied*"
reason = "This folder is off limits"

[[rules]]
name = "ask-asked"
action = "ask_user"
command = "mkdir asked*"
reason = "A person must look first"

[[rules]]
name = "changed"
action = "deny"
command = "mkdir changed*"
reason = "This folder has another name"
instead = { command = "mkdir allowed-instead" }

[[rules]]
name = "changed-ask"
action = "ask_user"
command = "mkdir ask-changed*"
reason = "A person must look first"
instead = { command = "mkdir allowed-instead" }

[[rules]]
name = "changed-in-vain"
action = "deny"
command = "mkdir vain*"
reason = "This folder has another name"
instead = { command = "mkdir denied" }

[[rules]]
name = "allowed"
action = "allow"
command = "mkdir allowed*"
reason = "This folder may be made"
`;
const CONFIG = "rules/bylaw.config.json";
const RULES =
  '{ "plugins": [{ "use": "@bylaw/plugin-policy", "options": { "files": ["policy.toml"], "operator": true } }] }';

/** A model that makes a program call the shell once, and then stop. */
const once =
  (program: Program, line: string): Script =>
  ({ tools, results }) =>
    results.length === 0 ? offered(program.shell(line), tools) : [];

const offered = (calls: readonly ModelCall[], tools: readonly string[]): readonly ModelCall[] =>
  calls.filter(({ name }) => tools.includes(name)).slice(0, 1);

function governed(desk: Desk): void {
  desk.write("rules/policy.toml", POLICY);
  desk.write(CONFIG, RULES);
  desk.install(CONFIG);
}

/** Runs one line, and describes what became of its folder. */
async function outcome(desk: Desk, folder: string, patience_ms?: number): Promise<[string, Drive]> {
  const drive = await desk.drive(once(desk.program, `mkdir ${folder}`), patience_ms);
  if (!drive.ended) return [desk.has(folder) ? "runs without an end" : "waits", drive];
  if (drive.turns === 0) return [`asked no model: ${drive.printed.slice(-800)}`, drive];
  return [desk.has(folder) ? "runs" : "blocks", drive];
}

const PAST = `
[[marks]]
name = "ran"
command = "mkdir first"

[[marks]]
name = "passed"
command = "mkdir first"
outcome = "passed"

[[rules]]
name = "not-after"
action = "deny"
command = "mkdir late"
after = "ran"

[[rules]]
name = "only-after"
action = "deny"
command = ["mkdir early", "mkdir needy"]
unless_after = "passed"
`;

const LOOKS_BACK: Check = [
  "rules look back on the session, and know the exit code as its capabilities say",
  async (desk) => {
    governed(desk);
    desk.write("rules/policy.toml", PAST);
    const folders = ["early", "first", "late", "needy"];
    const { printed } = await desk.drive(({ tools, results }) => {
      const folder = folders[results.length];
      return folder === undefined ? [] : offered(desk.program.shell(`mkdir ${folder}`), tools);
    });
    const found = folders.filter((folder) => desk.has(folder)).join(" ");
    const wanted = desk.program.host.capabilities.exit_code ? "first needy" : "first";
    return found === wanted ? undefined : `it made ${found}, and not ${wanted}: ${printed}`;
  },
];

const TYPES: readonly (readonly [name: RegExp, type: string])[] = [
  [/^SessionStart$/i, "host_session_started"],
  [/^SessionEnd$/i, "host_session_ended"],
  [/^(?:UserPromptSubmit\w*|BeforeAgent)$/i, "prompt_submitted"],
  [/^SubagentStart$/i, "subagent_started"],
  [/^SubagentStop$/i, "subagent_stopped"],
];

interface Recorded {
  readonly event_type: string;
  readonly agent_id: string | null;
  readonly details: { readonly args?: { readonly command?: string } };
}

/** A session, with a sub-agent that makes the first folder if the program has any. */
const ON_RECORD: Check = [
  "a session with its sub-agents is one run, with the events that its capabilities say",
  async (desk) => {
    governed(desk);
    desk.write("rules/policy.toml", PAST);
    const { agent, shell, host } = desk.program;
    const [make, wait] = [shell("mkdir first"), shell("until test -d first; do sleep 0.1; done")];
    const starts = agent === undefined ? make : [agent("SUBTASK make the folder")];
    const steps = [starts, wait, shell("mkdir late")];
    const { printed } = await desk.drive(({ prompt, tools, results }) =>
      prompt.includes("SUBTASK")
        ? offered(results.length === 0 ? make : [], tools)
        : offered(steps[results.length] ?? [], tools),
    );
    if (!desk.has("first") || desk.has("late")) return `its calls were not in one run: ${printed}`;
    const store = ["--store", join(desk.home, "rules/.bylaw/store.db"), "--json"];
    const runs = desk.lines("log", "runs", ...store) as readonly { readonly run: string }[];
    const [only] = runs;
    if (only === undefined || runs.length > 1)
      return `it has ${runs.length} runs: ${JSON.stringify(runs)}`;
    const events = desk.lines("log", "query", "--run", only.run, ...store) as readonly Recorded[];
    const wanted = host.capabilities.session_events.map(
      (name) => TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? name,
    );
    const missing = wanted.filter((type) => !events.some(({ event_type }) => event_type === type));
    if (missing.length > 0) return `not on record: ${missing.join()}`;
    const started = events.find(({ event_type }) => event_type === "subagent_started");
    const made = events.find(({ details }) => details.args?.command === "mkdir first");
    return differs(`has ${made?.agent_id ?? null}`, `has ${started?.agent_id ?? null}`);
  },
];

const ENDING_RULES = RULES.replace("[", '[{ "use": "@bylaw/plugin-coordinator" }, ');
const ENDS = ["--type", "workflow_failed", "--details", '{"reason":"x","last_state":"x"}'];

/** The coordinator ends the run while the model works. */
const HALTS: Check = [
  "a call after the end of the run stays out, and the agent halts as its capabilities say",
  async (desk) => {
    governed(desk);
    desk.write(CONFIG, ENDING_RULES);
    const store = join(desk.home, "rules/.bylaw/store.db");
    const place = ["--store", store, "--config", join(desk.home, CONFIG)];
    const { ended, turns, printed } = await desk.drive(({ tools, results }) => {
      if (results.length === 1) desk.bylaw("log", "append", ...place, ...ENDS);
      const line = `mkdir allowed-${results.length}`;
      return results.length < 3 ? offered(desk.program.shell(line), tools) : [];
    });
    const ran = [0, 1, 2].filter((at) => desk.has(`allowed-${at}`)).join();
    if (ran !== "0" || !ended) return `it made ${ran}, and ended: ${ended}: ${printed}`;
    return differs(
      `took ${turns} turns`,
      `took ${desk.program.host.capabilities.halts ? 2 : 4} turns`,
    );
  },
];

const differs = (found: string, wanted: string): string | undefined =>
  found === wanted ? undefined : `it ${found}, which should be: ${wanted}`;

const DECISIONS: readonly Check[] = [
  [
    "a denied call stays out, and the model is told the rule",
    async (desk) => {
      governed(desk);
      const [found, { seen }] = await outcome(desk, "denied");
      if (!seen.includes("no-denied")) return `the model saw: ${seen}`;
      return differs(found, "blocks");
    },
  ],
  [
    "an allowed call runs",
    async (desk) => {
      governed(desk);
      return differs((await outcome(desk, "allowed"))[0], "runs");
    },
  ],
  [
    "a call that no rule covers is left to the program",
    async (desk) => {
      governed(desk);
      return differs((await outcome(desk, "other"))[0], "runs");
    },
  ],
  [
    "a question without a person stays out",
    async (desk) => {
      governed(desk);
      return differs((await outcome(desk, "asked"))[0], "blocks");
    },
  ],
];

/** A denied or asked call whose rule offers another one. */
const CHANGED: readonly Check[] = ["changed", "ask-changed"].map((folder): Check => [
  `${folder}: the call that a rule offers instead runs as the capabilities say, and never the original`,
  async (desk) => {
    governed(desk);
    const { rewrites } = desk.program.host.capabilities;
    const [found, { seen }] = await outcome(desk, folder);
    const made = desk.has("allowed-instead") ? "runs" : "blocks";
    if (rewrites.length === 0 && !seen.includes("mkdir allowed-instead"))
      return `the model saw: ${seen}`;
    return differs(`${found}, ${made}`, `blocks, ${rewrites.length > 0 ? "runs" : "blocks"}`);
  },
]);

const CHANGED_IN_VAIN: Check = [
  "neither call runs if the one that a rule offers is denied too",
  async (desk) => {
    governed(desk);
    const [found] = await outcome(desk, "vain");
    return differs(`${found}, ${desk.has("denied")}`, "blocks, false");
  },
];

const CHANGED_PAST = `${PAST}
[[rules]]
name = "changed"
action = "deny"
command = "mkdir last"
reason = "Make the first folder"
instead = { command = "mkdir first" }

[[rules]]
name = "first"
action = "allow"
command = "mkdir first"
`;

/** The result of a changed call is on record as that of the call that ran. */
const CHANGED_RESULT: Check = [
  "the result of a changed call counts for the call that ran, and both are on record",
  async (desk) => {
    governed(desk);
    desk.write("rules/policy.toml", CHANGED_PAST);
    const folders = ["last", "needy"];
    const { printed } = await desk.drive(({ tools, results }) => {
      const folder = folders[results.length];
      return folder === undefined ? [] : offered(desk.program.shell(`mkdir ${folder}`), tools);
    });
    const { exit_code } = desk.program.host.capabilities;
    const found = ["last", "first", "needy"].filter((folder) => desk.has(folder)).join(" ");
    if (found !== (exit_code ? "first needy" : "first")) return `it made ${found}: ${printed}`;
    const store = ["--store", join(desk.home, "rules/.bylaw/store.db"), "--json"];
    const [only] = desk.lines("log", "runs", ...store) as readonly { readonly run: string }[];
    const events = desk.lines("log", "query", "--run", only?.run ?? "", ...store);
    const calls = (events as readonly Recorded[])
      .filter(({ event_type }) => event_type.startsWith("tool_"))
      .map(({ event_type, details }) => `${event_type} ${details.args?.command ?? ""}`.trim());
    const wanted = ["tool_denied mkdir last", "tool_allowed mkdir first", "tool_result"];
    return differs(calls.slice(0, wanted.length).join(", "), wanted.join(", "));
  },
];

/** Bylaw cannot keep a call from running that another hook changes later. */
const changedByOthers = (changes: NonNullable<Program["changes"]>): Check => [
  "a call that a hook of the project changed is reported to the model, and on record",
  async (desk) => {
    governed(desk);
    desk.write("rules/policy.toml", `${PAST}${POLICY}`);
    const [file, text] = changes("mkdir denied");
    desk.write(join("work", file), text);
    let told = "";
    await desk.drive(({ prompt, tools, results }) => {
      told = [prompt, ...results].join("\n");
      return results.length === 0 ? offered(desk.program.shell("mkdir allowed"), tools) : [];
    });
    if (!desk.has("denied") || desk.has("allowed")) return "the hook of the project did nothing";
    if (!told.includes("no-denied")) return `the model was told: ${told}`;
    const store = ["--store", join(desk.home, "rules/.bylaw/store.db"), "--json"];
    const [only] = desk.lines("log", "runs", ...store) as readonly { readonly run: string }[];
    const events = desk.lines("log", "query", "--run", only?.run ?? "", ...store);
    const found = (events as readonly Recorded[]).filter(
      ({ event_type }) => event_type === "forbidden_call_ran",
    );
    return differs(`has ${found.length} on record`, "has 1 on record");
  },
];

const PLACES = `
[[rules]]
name = "elsewhere"
action = "deny"
command = "mkdir *"

[[rules]]
name = "here"
priority = "user"
action = "allow"
command = "mkdir *"
paths = "./**"

[[rules]]
name = "closed"
action = "deny"
final = true
command = "mkdir *"
paths = "./closed/**"
`;

/** The model may choose the folder of a line, and thereby neither another workspace nor a folder that the rules do not see. */
const inFolder = (shellIn: (line: string, folder: string) => ModelCall): Check => [
  "a line is judged in the folder that the model chooses for it, by the workspace of the session",
  async (desk) => {
    governed(desk);
    desk.write("rules/policy.toml", PLACES);
    const folders = ["open", "closed", "../outside"].map((name) => join(desk.project, name));
    for (const folder of folders) mkdirSync(folder);
    const { printed } = await desk.drive(({ tools, results }) => {
      const folder = folders[results.length];
      return folder === undefined ? [] : offered([shellIn("mkdir made", folder)], tools);
    });
    const found = folders.filter((folder) => existsSync(join(folder, "made")));
    return found.join() === folders[0] ? undefined : `it made ${found.join()}: ${printed}`;
  },
];

/** If the host cannot ask, a person answers once with a command. */
const APPROVAL: Check = [
  "an approved call runs once",
  async (desk) => {
    governed(desk);
    const [, { seen }] = await outcome(desk, "asked");
    const [line = ""] = /bylaw approve yes [^`]*/.exec(seen) ?? [];
    const words = line.replace("--by NAME", "").trim().split(" ").slice(1);
    const ran = desk.bylaw(...words);
    if (ran.code !== 0) return `${line}: ${ran.text}`;
    const [second] = await outcome(desk, "asked-other");
    const [third] = await outcome(desk, "asked");
    desk.remove("asked");
    const [fourth] = await outcome(desk, "asked");
    return differs([second, third, fourth].join(", "), "blocks, runs, blocks");
  },
];

/** Programs that replace Bylaw's, each failing in one way. */
const SCRIPTS = {
  exit_1: "process.exitCode = 1;",
  killed: "process.kill(process.pid, 'SIGKILL');",
  missing: undefined,
  timeout: "setInterval(() => {}, 1000);",
  not_json: "console.log('hello');",
} as const;

const failures = ({ host }: Program): readonly Check[] =>
  Object.entries(SCRIPTS).map(([kind, script]): Check => [
    `${kind}: what the host does when the hook fails is as its capabilities say`,
    async (desk) => {
      governed(desk);
      desk.replaceHook(script);
      const wanted = host.capabilities.failures[kind as keyof typeof SCRIPTS];
      return differs((await outcome(desk, "other", 30_000))[0], wanted);
    },
  ]);

/** What Bylaw cannot decide is blocked on every host, even if a rule allows it. */
const faults: readonly Check[] = [
  ["the policy is broken", (desk: Desk) => desk.write("rules/policy.toml", "[[rules")],
  ["the configuration is broken", (desk: Desk) => desk.write(CONFIG, "{")],
  ["the configuration is empty", (desk: Desk) => desk.write(CONFIG, "")],
].map(([what, breaks]): Check => [
  `a call stays out where ${String(what)}`,
  async (desk) => {
    governed(desk);
    (breaks as (desk: Desk) => void)(desk);
    return differs((await outcome(desk, "allowed"))[0], "blocks");
  },
]);

/** A person chose that a hook without its program decides nothing. */
const ABSENT: Check = [
  "installed with `--if-absent ask`, a denied call stays out, and is left to the program once Bylaw is missing",
  async (desk) => {
    governed(desk);
    desk.install(CONFIG, "user", ["--if-absent", "ask"]);
    const [first] = await outcome(desk, "denied");
    desk.removeHook();
    const [second] = await outcome(desk, "denied");
    return differs(`${first}, ${second}`, "blocks, runs");
  },
];

const code = (text: string): string =>
  `import { allow, defineCheck, deny } from "@bylaw/kernel";\n${text}`;
const HANGING = code("await new Promise(() => setInterval(() => {}, 1000)); export default {};");
const NEVER_DONE = code(
  'export default { plugins: [defineCheck({ name: "tests", hook: "onEnforcement", check: () => deny("Run the tests.") })] };',
);

const HANGS: Check = [
  "a call stays out where the configuration hangs",
  async (desk) => {
    desk.write("rules/bylaw.config.mjs", "export default {};");
    desk.install("rules/bylaw.config.mjs");
    desk.write("rules/bylaw.config.mjs", HANGING);
    return differs((await outcome(desk, "other", 400_000))[0], "blocks");
  },
];

const NEVER_STOPS: Check = [
  "an agent that is never done is let go",
  async (desk) => {
    desk.write("rules/bylaw.config.mjs", NEVER_DONE);
    desk.install("rules/bylaw.config.mjs");
    const { ended, turns } = await desk.drive(() => [], 120_000);
    return ended && turns > 2 && turns <= 10 ? undefined : `${turns} turns, ended: ${ended}`;
  },
];

/** Calls while the engine that the hook asks is gone or hangs. */
const engineChecks: readonly Check[] = (["SIGKILL", "SIGSTOP"] as const).map((sent): Check => [
  `${sent} of the engine: a denied call stays out, and an allowed one runs`,
  async (desk) => {
    governed(desk);
    const [first] = await outcome(desk, "allowed-1");
    const engines = desk.signalEngines(sent);
    const [second] = await outcome(desk, "denied");
    const [third] = await outcome(desk, "allowed-2");
    return differs(`${engines}: ${first}, ${second}, ${third}`, "1: runs, blocks, runs");
  },
]);

const switchedOff = ({ host, off }: Program): readonly Check[] =>
  off.map(([file, text], at): Check => [
    `${String(at + 1)}: ${file} switches the hook off as its capabilities say, and \`bylaw doctor\` names it`,
    async (desk) => {
      governed(desk);
      desk.write(join("work", file), text);
      const [found] = await outcome(desk, "denied");
      const doctor = desk.bylaw("doctor", host.name);
      if (doctor.code !== 1 || !doctor.text.includes(join(desk.project, file))) return doctor.text;
      return differs(found, host.capabilities.project_off);
    },
  ]);

const STARTED: Check = [
  "started by `bylaw run`, it asks a hook that a project file cannot switch off",
  async (desk) => {
    desk.write("rules/policy.toml", POLICY);
    desk.write(CONFIG, RULES);
    desk.prepare();
    const [[file, text]] = desk.program.off;
    desk.write(join("work", file), text);
    const lines = ["mkdir denied", "mkdir allowed"];
    const script: Script = ({ tools, results }) => {
      const line = lines[results.length];
      return line === undefined ? [] : offered(desk.program.shell(line), tools);
    };
    const { printed } = await desk.drive(script, undefined, CONFIG);
    const found = ["denied", "allowed"].filter((folder) => desk.has(folder)).join(" ");
    return found === "allowed" ? undefined : `it made ${found || "nothing"}: ${printed}`;
  },
];

const ignored = ({ host, ignored: changes = [] }: Program): readonly Check[] =>
  changes.map(([file, change], at): Check => [
    `${String(at + 1)}: ${file} of the user makes it ignore the hook, and \`bylaw doctor\` names it`,
    async (desk) => {
      governed(desk);
      const path = join(desk.home, file);
      desk.write(file, change(existsSync(path) ? readFileSync(path, "utf8") : ""));
      const [found] = await outcome(desk, "denied");
      const doctor = desk.bylaw("doctor", host.name);
      if (doctor.code !== 1 || !doctor.text.includes(`no  ${path} has`)) return doctor.text;
      return differs(found, "runs");
    },
  ]);

/** Ways to write settings with more than JSON has. */
const COMMENTS: Readonly<Record<string, (text: string) => string>> = {
  "a comment before": (text) => `// mine\n${text}`,
  "a comment within": (text) => text.replace(/"[A-Za-z]*": \[/, (key) => `/* mine */ ${key}`),
  "a comment behind": (text) => `${text}// mine\n`,
};
const UNREAD: typeof COMMENTS = { "a trailing comma in": (text) => text.replace(/\}\s*$/, ",}\n") };

const written = (
  { name, capabilities }: Program["host"],
  [what, change]: readonly [string, (text: string) => string],
): Check => [
  `${what} the settings counts as its capabilities say, and \`bylaw doctor\` knows`,
  async (desk) => {
    governed(desk);
    const text = readFileSync(desk.settings, "utf8");
    const changed = change(text);
    if (changed === text) return "there is nothing to change";
    writeFileSync(desk.settings, changed);
    const [found] = await outcome(desk, "denied");
    const doctor = desk.bylaw("doctor", name);
    const read = capabilities.comments && Object.hasOwn(COMMENTS, what);
    if (doctor.text.includes("does not read settings") === read) return doctor.text;
    // A program may also refuse to start.
    return (found === "blocks") === read ? undefined : `it ${found}`;
  },
];

const waysToWrite = (host: Program["host"]): readonly Check[] =>
  Object.entries({ ...COMMENTS, ...UNREAD }).map((way) => written(host, way));

const IN_ORDER: Check = [
  "`bylaw doctor` finds nothing wrong, and `bylaw uninstall` puts the settings back",
  async (desk) => {
    const { host, files } = desk.program;
    desk.write("own/bylaw.config.json", '{ "extends": ["@bylaw/ruleset-recommended"] }');
    desk.install("own/bylaw.config.json");
    const doctor = desk.bylaw("doctor", host.name);
    if (doctor.code !== 0) return doctor.text;
    if (desk.bylaw("uninstall", host.name).code !== 0) return "it cannot be uninstalled";
    for (const [file, text] of Object.entries(
      files({ home: desk.home, project: desk.project, url: NO_MODEL }),
    ))
      if (readFileSync(join(desk.home, file), "utf8") !== text) return `${file} was changed`;
    const [found] = await outcome(desk, "denied");
    return differs(found, "runs");
  },
];

const subAgent = (agent: (prompt: string) => ModelCall): Check => [
  "a sub-agent's denied call stays out",
  async (desk) => {
    governed(desk);
    const { shell } = desk.program;
    const own = [shell("mkdir denied"), shell("mkdir done")];
    // Some programs do not wait for a sub-agent.
    const steps = [
      [agent("SUBTASK make the folders")],
      shell("until test -d done; do sleep 0.1; done"),
    ];
    const { printed } = await desk.drive(({ prompt, tools, results }) =>
      offered((prompt.includes("SUBTASK") ? own : steps)[results.length] ?? [], tools),
    );
    if (!desk.has("done")) return `its allowed call did not run: ${printed.slice(-500)}`;
    return differs(desk.has("denied") ? "runs" : "blocks", "blocks");
  },
];

const skillOf = (skill: NonNullable<Program["skill"]>): Check => [
  "a shell line in the text of a skill stays out, because no hook sees it",
  async (desk) => {
    governed(desk);
    const { file, text, call } = skill("mkdir denied");
    desk.write(join("work", file), text);
    const { seen } = await desk.drive(({ tools, results }) =>
      offered(results.length === 0 ? [call] : [], tools),
    );
    if (!seen.includes("some")) return `the skill did not start: ${seen}`;
    return differs(desk.has("denied") ? "runs" : "blocks", "blocks");
  },
];

// Other hosts load a file of code.
const hasSettings = (host: Program["host"]): boolean =>
  Object.keys(host.hooks(() => "x")).length > 0;

/** All checks of a program, except for managed settings. */
export const checksOf = (program: Program): readonly Check[] => [
  ...DECISIONS,
  ...CHANGED,
  CHANGED_IN_VAIN,
  ...(program.host.capabilities.rewrites.length > 0 ? [CHANGED_RESULT] : []),
  ...(program.changes === undefined ? [] : [changedByOthers(program.changes)]),
  ...(program.shellIn === undefined ? [] : [inFolder(program.shellIn)]),
  LOOKS_BACK,
  ON_RECORD,
  HALTS,
  ...(program.host.capabilities.ask === "asks" ? [] : [APPROVAL]),
  ...failures(program),
  ...faults,
  ABSENT,
  ...engineChecks,
  HANGS,
  // A plugin is not asked at the end of a turn.
  ...(hasSettings(program.host) ? [NEVER_STOPS, ...waysToWrite(program.host)] : []),
  ...switchedOff(program),
  ...(program.host.start === undefined ? [] : [STARTED]),
  ...ignored(program),
  IN_ORDER,
  ...(program.agent === undefined ? [] : [subAgent(program.agent)]),
  ...(program.skill === undefined ? [] : [skillOf(program.skill)]),
];

/** Needs its own `/etc`. */
export const MANAGED: Check = [
  "managed settings hold against a project file that switches hooks off",
  async (desk) => {
    desk.write("rules/policy.toml", POLICY);
    desk.write(CONFIG, RULES);
    desk.install(CONFIG, "managed");
    for (const [file, text] of desk.program.off) {
      desk.write(join("work", file), text);
      const [found] = await outcome(desk, "denied");
      if (found !== "blocks") return `with ${file} (${text}) it ${found}`;
      desk.remove(file);
    }
    return undefined;
  },
];
