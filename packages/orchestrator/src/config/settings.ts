import { z } from "zod";

/** The default contract file. */
export const CONTRACT = "agent_workflow.yaml";

/** A path, relative to the folder of the file that contains it. */
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

/** Every setting of a server, from all sources. Secrets are not settings: they come from the environment or from files. */
export const settingsSchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address that it listens on"),
  port: count(8_000, "The port that it listens on; 0 takes any free one", { min: 0, max: 65_535 }),
  allow_plain_http: flag(
    false,
    "Whether it may listen without TLS where other machines can reach it, for a proxy in front that does TLS",
  ),
  allow_no_operator: flag(
    false,
    "Whether it may listen there without an operator to answer questions",
  ),
  contract: file(
    "The contract file. Default: `agent_workflow.yaml`, or the one the configuration names",
  ),
  config: file("A `bylaw.config.*` whose plugins decide instead of the default ones"),
  policy: files("Policy files of the operator, in addition to the default plugins"),
  consensus: flag(
    false,
    "Whether agents answer and vote: @bylaw/plugin-reasons judges their responses, and @bylaw/plugin-consensus records what they agree on",
  ),
  novelty: z
    .enum(["lenient", "balanced", "strict"])
    .default("balanced")
    .describe(
      "With `consensus`: the share of its words that an answer may have in common with another agent's: all, 70 %, or 50 %",
    ),
  workspace: path
    .default("work")
    .describe("The folder in which agents work. It must contain nothing that the server runs"),
  workspace_per_task: flag(
    false,
    "Whether each task has its own folder in it, with the name of the task",
  ),
  data: path
    .default(".bylaw")
    .describe("The folder of the store and of the secrets that the first start creates"),
  store: file(
    "Where the run is kept: `sqlite:PATH` or `postgres://…`. Default: `store.db` in the data folder",
  ),
  status: file(
    "A file for the status of the run, such as `status.json`; `{run}` in it stands for the run. Only this server may write it",
  ),
  run: z
    .string()
    .min(1)
    .max(200)
    .default("main")
    .describe("The name of the run; nodes that share it share their tasks"),
  tls: z
    .strictObject({
      cert: path.describe("The certificate chain in PEM"),
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
      "The secret that signs tokens. Default: BYLAW_JWT_SECRET, or one created in the data folder",
    ),
    old_token_secret_files: files(
      "Earlier secrets of tokens. They sign nothing new; tokens that they signed stay valid until they expire",
    ),
    enrol_secret_file: file(
      "The secret that agents enrol with. Default: BYLAW_ENROL_SECRET, or one created in the data folder",
    ),
    shared_enrolment: flag(
      true,
      "Whether the enrolment secret enrols under any name; `false`: only credentials derived from it for one agent",
    ),
    operators_file: file(
      "The file of operators, in addition to BYLAW_OPERATOR_TOKEN. Default: `operators.json` in the data folder",
    ),
  }),
  tasks: group({
    create_on_claim: flag(
      true,
      "Whether a claim creates a task if nobody has created any in the run",
    ),
    longest_wait_ms: ms(30_000, "How long a claim may wait for a task"),
    per_agent: count(10, "How many tasks one agent may hold at once; 0 for any number", { min: 0 }),
  }),
  behaviors: group({
    agents: names("Agents that others may call with `trigger`; `GET /directives` lists the calls"),
  }),
  oversight: group({
    command: names("The oversight program. It reads the question as JSON and prints the verdict"),
    url: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The oversight service, as an alternative: a URL that receives the question and answers with the verdict",
      ),
    timeout_seconds: count(60, "How long an oversight may take", { max: 3_600 }),
  }),
  tools: group({
    env: names("Variables of the server to pass to programs of agents, besides PATH and the like"),
    wrap: names(
      "A command that starts programs of agents and tests, such as one for a container. Their own command follows it",
    ),
    contain: z
      .enum(["possible", "always", "never"])
      .default("possible")
      .describe(
        "Whether programs of agents are contained by Linux namespaces. With `always`, no program runs if that is impossible",
      ),
    allow_root: flag(
      false,
      "Whether the server starts as root even if programs of agents would be root too; `--allow-root`",
    ),
    timeout_seconds: count(600, "The longest time limit of a program", { max: 86_400 }),
    web_hosts: names("Hosts that `web_fetch` may access; without any, the tool does not exist"),
  }),
  notify: group({
    answers_at: z
      .string()
      .regex(
        // Anyone who reads a link can answer by it, so only this machine may do without TLS.
        /^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^\s?#]*)?$/,
        "must be an address such as https://bylaw.example.org",
      )
      .optional()
      .describe(
        "The address of this server for people, in the links by which they answer. Without it, messages about questions have no link",
      ),
    link_minutes: count(60, "How long such a link answers", { max: 10_080 }),
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
      "How many bytes of agents' request bodies this node handles at once",
      { min: 65_536 },
    ),
    caller_bytes_in_flight: count(4_194_304, "How many of these bytes may belong to one caller", {
      min: 65_536,
    }),
    anonymous_bytes_in_flight: count(
      1_048_576,
      "How many of these bytes may belong to callers that send their token in the body",
      { min: 16_384 },
    ),
    headers_ms: ms(10_000, "How long the head of a request may take"),
    request_ms: ms(30_000, "How long a whole request may take to arrive"),
    idle_ms: ms(65_000, "How long a connection stays open between requests"),
    connections: count(0, "How many connections may be open at once; 0 for any number", { min: 0 }),
    agent_per_second: rate(
      200,
      "How many requests per second one agent may make on this node, counting each call of a batch; 0 for any number",
    ),
    agent_burst: count(400, "How many of these requests may come at once"),
    refusals_per_second: rate(
      20,
      "How many refused requests are recorded per second. All of them are counted",
    ),
    batch: count(100, "How many calls a batch may have", { max: 10_000 }),
    executions: count(64, "How many tools may run at once"),
    agent_executions: count(
      16,
      "How many of these tools may belong to one agent, and how many of its calls may wait. One agent never gets all, unless there is only one",
    ),
  }),
  log: group({
    level: z
      .enum(["debug", "info", "warn", "error", "silent"])
      .default("info")
      .describe("The log level"),
  }),
  docs: flag(true, "Whether anyone may read the description of the routes"),
  metrics: group({
    open: flag(
      false,
      "Whether /metrics is open without a credential, for scrapers on a private network",
    ),
  }),
  operate: group({
    due_every_ms: ms(5_000, "How often a node checks for lost agents, timed-out gates and alerts"),
    longest_wait_ms: ms(
      30_000,
      "How long a request may wait for an approval, and a transition for the calls of its task",
    ),
    heartbeat_ms: ms(15_000, "How long without an event until a stream sends a heartbeat"),
    slow_ms: ms(30_000, "How long a client of a stream may read nothing before it is disconnected"),
  }),
  shutdown: group({
    unready_ms: count(
      0,
      "How long a closing server reports not ready before it accepts no more connections",
      { min: 0, max: 600_000 },
    ),
    grace_ms: ms(10_000, "How long requests may take to end after that"),
  }),
});

/** The complete settings of a server. */
export type Settings = z.output<typeof settingsSchema>;
/** The settings that differ from the defaults. */
export type SettingsInput = z.input<typeof settingsSchema>;
