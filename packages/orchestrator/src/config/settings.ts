import { z } from "zod";

/** The contract where no other is named. */
export const CONTRACT = "agent_workflow.yaml";

/** A path, which stands against the folder of the file that it is said in. */
const file = z.string().min(1).meta({ path: true });
const ms = z.int().min(1).max(86_400_000);

/** All that may be set of a server, whatever it is set by. Secrets are not among them: they come from the environment or from files. */
export const settingsSchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address that it listens on"),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(8_000)
    .describe("The port that it listens on; 0 takes any that is free"),
  allow_plain_http: z
    .boolean()
    .default(false)
    .describe(
      "Whether it may listen on an address that other machines reach without TLS: for a proxy in front of it that does TLS",
    ),
  allow_no_operator: z
    .boolean()
    .default(false)
    .describe(
      "Whether it may listen on such an address although there is no operator to answer questions",
    ),
  contract: file
    .optional()
    .describe(
      "The contract file. Default: `agent_workflow.yaml`, or the one that the configuration names",
    ),
  config: file
    .optional()
    .describe("A `bylaw.config.*`, whose plugins decide instead of the usual ones"),
  policy: z
    .array(file)
    .default([])
    .describe("Policy files of the operator, beside the usual plugins"),
  workspace: file
    .default("work")
    .describe("The folder that agents work in, which must hold nothing that the server runs"),
  workspace_per_task: z
    .boolean()
    .default(false)
    .describe("Whether each task has a folder of its own in it, named as the task"),
  data: file
    .default(".bylaw")
    .describe("The folder of the store and of secrets that were made on the first start"),
  store: file
    .optional()
    .describe(
      "Where the run is kept: `sqlite:PATH` or `postgres://…`. Default: `store.db` in the data folder",
    ),
  run: z
    .string()
    .min(1)
    .max(200)
    .default("main")
    .describe("The name of the run; nodes that share it share their tasks"),
  tls: z
    .strictObject({
      cert: file.describe("Certificate chain in PEM"),
      key: file.describe("Its private key in PEM"),
    })
    .optional()
    .describe("Serves HTTPS"),
  cors_origins: z
    .array(
      z.string().regex(/^https?:\/\/[^/\s]+$/, "must be an origin such as https://app.example.org"),
    )
    .default([])
    .describe("Origins of web pages that may ask; none but its own otherwise"),
  auth: z
    .strictObject({
      token_secret_file: file
        .optional()
        .describe(
          "The secret that tokens are signed with. Default: BYLAW_JWT_SECRET, or one that is made in the data folder",
        ),
      old_token_secret_files: z
        .array(file)
        .default([])
        .describe(
          "Earlier secrets of tokens, which sign nothing: tokens that they signed hold until they expire",
        ),
      enrol_secret_file: file
        .optional()
        .describe(
          "The secret that agents enrol with. Default: BYLAW_ENROL_SECRET, or one that is made in the data folder",
        ),
      shared_enrolment: z
        .boolean()
        .default(true)
        .describe(
          "Whether the enrolment secret enrols under any name; `false`: only what was derived from it for one agent",
        ),
      operators_file: file
        .optional()
        .describe(
          "The file of operators. Default: `operators.json` in the data folder, beside the token in BYLAW_OPERATOR_TOKEN",
        ),
    })
    .prefault({}),
  tasks: z
    .strictObject({
      create_on_claim: z
        .boolean()
        .default(true)
        .describe("Whether a claim makes a task of its own in a run where nobody ever created one"),
      longest_wait_ms: ms.default(30_000).describe("How long a claim may wait for a task"),
      per_agent: z
        .int()
        .min(0)
        .default(10)
        .describe("How many tasks one agent may hold at once; 0: any number"),
    })
    .prefault({}),
  tools: z
    .strictObject({
      env: z
        .array(z.string().min(1))
        .default([])
        .describe(
          "Variables of the server that programs of agents get, by name; none but PATH and the like otherwise",
        ),
      wrap: z
        .array(z.string().min(1))
        .default([])
        .describe(
          "What programs of agents and tests are started by, such as a container: the line follows",
        ),
      contain: z
        .enum(["possible", "always", "never"])
        .default("possible")
        .describe(
          "Whether programs of agents are contained by namespaces of Linux: where that is possible, always, or never; with `always` no program runs where it is not possible",
        ),
      allow_root: z
        .boolean()
        .default(false)
        .describe(
          "Whether a server that is root starts where programs of agents would be root too; `--allow-root`",
        ),
      timeout_seconds: z
        .int()
        .min(1)
        .max(86_400)
        .default(600)
        .describe("The longest time that a program may be given"),
      web_hosts: z
        .array(z.string().min(1))
        .default([])
        .describe("Hosts that `web_fetch` may go to; without any there is no such tool"),
    })
    .prefault({}),
  observe_tests: z
    .boolean()
    .default(true)
    .describe(
      "Whether the tests of the contract are run where a transition is judged on them; `false`: something else records test runs",
    ),
  limits: z
    .strictObject({
      body_bytes: z
        .int()
        .min(1_024)
        .max(67_108_864)
        .default(1_048_576)
        .describe("The largest body of a request"),
      body_values: z
        .int()
        .min(100)
        .max(1_000_000)
        .default(20_000)
        .describe("How many values the JSON of a body may hold"),
      bytes_in_flight: z
        .int()
        .min(65_536)
        .default(33_554_432)
        .describe(
          "How many bytes of bodies may be read or worked on at once, on this node, those of operators not counted",
        ),
      caller_bytes_in_flight: z
        .int()
        .min(65_536)
        .default(4_194_304)
        .describe("How many of them may be of one caller"),
      anonymous_bytes_in_flight: z
        .int()
        .min(16_384)
        .default(1_048_576)
        .describe(
          "How many of them may be of all callers together that send their token in the body",
        ),
      headers_ms: ms.default(10_000).describe("How long the head of a request may take"),
      request_ms: ms.default(30_000).describe("How long a whole request may take to arrive"),
      idle_ms: ms.default(65_000).describe("How long a connection stays open between requests"),
      connections: z
        .int()
        .min(0)
        .default(0)
        .describe("How many connections there may be at once; 0: any number"),
      agent_per_second: z
        .number()
        .min(0)
        .default(200)
        .describe(
          "How many requests one agent may make in a second, on this node, each call of a batch counted; 0: any number",
        ),
      agent_burst: z.int().min(1).default(400).describe("How many of them may come at once"),
      refusals_per_second: z
        .number()
        .min(0)
        .default(20)
        .describe("How many refused requests are recorded in a second; all of them are counted"),
      batch: z.int().min(1).max(10_000).default(100).describe("How many calls one batch may have"),
      executions: z.int().min(1).default(64).describe("How many tools may run at once"),
      agent_executions: z
        .int()
        .min(1)
        .default(16)
        .describe(
          "How many of them may be of one agent, which never has all where there are several; as many of it may wait",
        ),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(["debug", "info", "warn", "error", "silent"])
        .default("info")
        .describe("What is logged"),
    })
    .prefault({}),
  docs: z
    .boolean()
    .default(true)
    .describe("Whether the description of the interface is served, to anyone"),
  metrics: z
    .strictObject({
      open: z
        .boolean()
        .default(false)
        .describe(
          "Whether /metrics asks for no credential: for scrapers on a network of their own",
        ),
    })
    .prefault({}),
  operate: z
    .strictObject({
      due_every_ms: ms
        .default(5_000)
        .describe(
          "How often a node looks for what time makes due: lost agents, gates out of time, alerts",
        ),
      longest_wait_ms: ms
        .default(30_000)
        .describe(
          "How long a request for an approval may wait for an answer, and a transition for the calls of its task",
        ),
      heartbeat_ms: ms
        .default(15_000)
        .describe("After how long without an event a stream says that it is alive"),
      slow_ms: ms
        .default(30_000)
        .describe("How long a client of a stream may leave what was sent before it is cut"),
    })
    .prefault({}),
  shutdown: z
    .strictObject({
      unready_ms: z
        .int()
        .min(0)
        .max(600_000)
        .default(0)
        .describe("How long it answers as not ready before it takes no connection any more"),
      grace_ms: ms.default(10_000).describe("How long requests have to end after that"),
    })
    .prefault({}),
});

/** The settings of a server, complete. */
export type Settings = z.output<typeof settingsSchema>;
/** Those that are not as usual. */
export type SettingsInput = z.input<typeof settingsSchema>;
