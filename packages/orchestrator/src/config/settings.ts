import { z } from "zod";

/** The contract where no other is named. */
export const CONTRACT = "agent_workflow.yaml";

/** A path, which is relative to the folder of the file that names it. */
const path = z.string().min(1).meta({ path: true });
const file = (meaning: string) => path.optional().describe(meaning);
const files = (meaning: string) => z.array(path).default([]).describe(meaning);
const names = (meaning: string) => z.array(z.string().min(1)).default([]).describe(meaning);
const flag = (usual: boolean, meaning: string) => z.boolean().default(usual).describe(meaning);
const ms = (usual: number, meaning: string) =>
  z.int().min(1).max(86_400_000).default(usual).describe(meaning);
const count = (usual: number, meaning: string, { min = 1, max = Number.MAX_SAFE_INTEGER } = {}) =>
  z.int().min(min).max(max).default(usual).describe(meaning);
const rate = (usual: number, meaning: string) => z.number().min(0).default(usual).describe(meaning);
const group = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape).prefault({} as never);

/** Every setting of a server, wherever it is set. Secrets are not settings: they come from the environment or from files. */
export const settingsSchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address that it listens on"),
  port: count(8_000, "The port that it listens on; 0 takes any free one", { min: 0, max: 65_535 }),
  allow_plain_http: flag(
    false,
    "Whether it may listen without TLS on an address that other machines reach: for a proxy in front that does TLS",
  ),
  allow_no_operator: flag(
    false,
    "Whether it may listen on such an address with no operator to answer questions",
  ),
  contract: file(
    "The contract file. Default: `agent_workflow.yaml`, or the one the configuration names",
  ),
  config: file("A `bylaw.config.*`, whose plugins decide instead of the usual ones"),
  policy: files("Policy files of the operator, beside the usual plugins"),
  consensus: flag(
    false,
    "Whether agents answer and vote: @bylaw/plugin-reasons judges their responses, @bylaw/plugin-consensus records what they agree on",
  ),
  novelty: z
    .enum(["lenient", "balanced", "strict"])
    .default("balanced")
    .describe(
      "With `consensus`: how much of its words an answer may share with that of another agent: all, 70 %, or 50 %",
    ),
  workspace: path
    .default("work")
    .describe("The folder that agents work in, which must hold nothing that the server runs"),
  workspace_per_task: flag(false, "Whether each task has its own folder in it, named as the task"),
  data: path
    .default(".bylaw")
    .describe("The folder of the store, and of the secrets that the first start makes"),
  store: file(
    "Where the run is kept: `sqlite:PATH` or `postgres://…`. Default: `store.db` in the data folder",
  ),
  status: file(
    "A file that shows where the run stands, such as `status.json`; `{run}` in it stands for the run. Only this server writes it",
  ),
  run: z
    .string()
    .min(1)
    .max(200)
    .default("main")
    .describe("The name of the run; nodes that share it share their tasks"),
  tls: z
    .strictObject({
      cert: path.describe("Certificate chain in PEM"),
      key: path.describe("Its private key in PEM"),
    })
    .optional()
    .describe("Serves HTTPS"),
  cors_origins: z
    .array(
      z.string().regex(/^https?:\/\/[^/\s]+$/, "must be an origin such as https://app.example.org"),
    )
    .default([])
    .describe("Origins of other web pages that may send requests"),
  auth: group({
    token_secret_file: file(
      "The secret that signs tokens. Default: BYLAW_JWT_SECRET, or one made in the data folder",
    ),
    old_token_secret_files: files(
      "Earlier secrets of tokens. They sign nothing; tokens that they signed hold until they expire",
    ),
    enrol_secret_file: file(
      "The secret that agents enrol with. Default: BYLAW_ENROL_SECRET, or one made in the data folder",
    ),
    shared_enrolment: flag(
      true,
      "Whether the enrolment secret enrols under any name; `false`: only credentials derived from it for one agent",
    ),
    operators_file: file(
      "The file of operators. Default: `operators.json` in the data folder, beside the token in BYLAW_OPERATOR_TOKEN",
    ),
  }),
  tasks: group({
    create_on_claim: flag(
      true,
      "Whether a claim creates a task in a run where nobody ever created one",
    ),
    longest_wait_ms: ms(30_000, "How long a claim may wait for a task"),
    per_agent: count(10, "How many tasks one agent may hold at once; 0: any number", { min: 0 }),
  }),
  behaviors: group({
    agents: names("Agents that others may have called with `trigger`; `GET /directives` says when"),
  }),
  oversight: group({
    command: names(
      "The program that gives oversight: it reads the question as JSON, and prints the verdict",
    ),
    url: z
      .string()
      .min(1)
      .optional()
      .describe("Or the address that the question is posted to, which answers with the verdict"),
    timeout_seconds: count(60, "How long an oversight may take", { max: 3_600 }),
  }),
  tools: group({
    env: names("Variables of the server that programs of agents get, besides PATH and the like"),
    wrap: names(
      "A command that starts programs of agents and tests, such as a container: their own command follows it",
    ),
    contain: z
      .enum(["possible", "always", "never"])
      .default("possible")
      .describe(
        "Whether programs of agents are contained by Linux namespaces. With `always` no program runs where that is not possible",
      ),
    allow_root: flag(
      false,
      "Whether a root server starts where programs of agents would be root too; `--allow-root`",
    ),
    timeout_seconds: count(600, "The longest time that a program may be given", { max: 86_400 }),
    web_hosts: names("Hosts that `web_fetch` may go to; without any there is no such tool"),
  }),
  observe_tests: flag(
    true,
    "Whether the server runs the contract's tests before a transition that needs them; `false`: something else records test runs",
  ),
  limits: group({
    body_bytes: count(1_048_576, "The largest body of a request", { min: 1_024, max: 67_108_864 }),
    body_values: count(20_000, "How many values the JSON of a body may hold", {
      min: 100,
      max: 1_000_000,
    }),
    bytes_in_flight: count(
      33_554_432,
      "How many bytes of agents' bodies this node reads or works on at once",
      { min: 65_536 },
    ),
    caller_bytes_in_flight: count(4_194_304, "How many of them may belong to one caller", {
      min: 65_536,
    }),
    anonymous_bytes_in_flight: count(
      1_048_576,
      "How many of them may belong to all callers that send their token in the body",
      { min: 16_384 },
    ),
    headers_ms: ms(10_000, "How long the head of a request may take"),
    request_ms: ms(30_000, "How long a whole request may take to arrive"),
    idle_ms: ms(65_000, "How long a connection stays open between requests"),
    connections: count(0, "How many connections there may be at once; 0: any number", { min: 0 }),
    agent_per_second: rate(
      200,
      "How many requests one agent may make in a second, on this node, each call of a batch counted; 0: any number",
    ),
    agent_burst: count(400, "How many of them may come at once"),
    refusals_per_second: rate(
      20,
      "How many refused requests are recorded in a second; all of them are counted",
    ),
    batch: count(100, "How many calls one batch may have", { max: 10_000 }),
    executions: count(64, "How many tools may run at once"),
    agent_executions: count(
      16,
      "How many of them may belong to one agent, which never has all of several; as many may wait",
    ),
  }),
  log: group({
    level: z
      .enum(["debug", "info", "warn", "error", "silent"])
      .default("info")
      .describe("What is logged"),
  }),
  docs: flag(true, "Whether anyone may read the description of the routes"),
  metrics: group({
    open: flag(
      false,
      "Whether /metrics asks for no credential: for scrapers on a network of their own",
    ),
  }),
  operate: group({
    due_every_ms: ms(
      5_000,
      "How often a node looks for what is due: lost agents, gates out of time, alerts",
    ),
    longest_wait_ms: ms(
      30_000,
      "How long a request may wait for an approval, and a transition for the calls of its task",
    ),
    heartbeat_ms: ms(15_000, "After how long without an event a stream says that it is alive"),
    slow_ms: ms(30_000, "How long a client of a stream may read nothing before it is cut"),
  }),
  shutdown: group({
    unready_ms: count(0, "How long it answers as not ready before it takes no more connections", {
      min: 0,
      max: 600_000,
    }),
    grace_ms: ms(10_000, "How long requests have to end after that"),
  }),
});

/** The settings of a server, complete. */
export type Settings = z.output<typeof settingsSchema>;
/** Those that differ from the defaults. */
export type SettingsInput = z.input<typeof settingsSchema>;
