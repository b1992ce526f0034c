import { dirname } from "node:path";
import { createConfiguredKernel, packageLoaderFor, type BundledPackages } from "@bylaw/config";
import { loadContract, type Contract } from "@bylaw/contract";
import { BylawError, createKernel, type Kernel, type Plugin } from "@bylaw/kernel";
import { artifacts } from "@bylaw/plugin-artifacts";
import { checkpoint } from "@bylaw/plugin-checkpoint";
import { consensus } from "@bylaw/plugin-consensus";
import { constitution } from "@bylaw/plugin-constitution";
import { gates } from "@bylaw/plugin-gates";
import { loop } from "@bylaw/plugin-loop";
import { monitoring } from "@bylaw/plugin-monitoring";
import { phases } from "@bylaw/plugin-phases";
import * as policyPlugin from "@bylaw/plugin-policy";
import { reasons } from "@bylaw/plugin-reasons";
import { tasks } from "@bylaw/plugin-tasks";
import { createSigner, tokens, type TokenSigner } from "@bylaw/plugin-tokens";
import { trigger } from "@bylaw/plugin-trigger";
import { vibecheck } from "@bylaw/plugin-vibecheck";
import type { Settings } from "../config/settings.ts";
import type { ServerFiles } from "../config/server-files.ts";
import { redactRefused } from "../consensus/redact-refused.ts";
import { configuredContract } from "../config/configured-contract.ts";
import { configuredFiles, keysIn, POLICY, TOKENS } from "../config/configured-files.ts";
import { configuredKeys, type TokenKeys } from "../config/token-keys.ts";
import { serverFilePolicy } from "../tools/server-file-policy.ts";

/** The kernel of a server and what it depends on. */
export interface Rules {
  readonly kernel: Kernel;
  readonly contract: Contract;
  readonly signer: TokenSigner;
  /** The files of the server, including those with its keys and those that its configuration names. */
  readonly serverFilePaths: ServerFiles;
  readonly signing: Pick<TokenKeys, "secrets" | "variables" | "unread">;
}

interface UsualRules {
  /** Absolute. */
  readonly contract: string;
  readonly workspace: string;
  readonly policy: readonly string[];
  /** Agents that may be called. */
  readonly callable: readonly string[];
  /** The rules of the consensus. Left out: agents do not answer and vote. */
  readonly consensus?: Pick<Settings, "novelty"> | undefined;
  /** Finds the keys of tokens. */
  readonly keysOf: (tokens: Contract["enforcement"]["tokens"]) => TokenKeys;
  /** Names of tools that the contract may use, besides those it knows. */
  readonly tools: readonly string[];
  /** Plugins of the service itself. */
  readonly own: readonly Plugin[];
  /** Files and folders of the server. */
  readonly serverFilePaths: ServerFiles;
}

/** The kernel of a server without a configuration: the contract, and every plugin for agents on a network. */
export function usualRules({
  contract: file,
  workspace,
  policy: policies,
  consensus: agreed,
  callable,
  keysOf,
  tools,
  own,
  serverFilePaths,
}: UsualRules): Rules {
  const contract = loadContract(file, { tools: [...tools] });
  const { mode, tokens: tokenSettings } = contract.enforcement;
  const signing = keysOf(tokenSettings);
  const all = { ...serverFilePaths, hidden: [...serverFilePaths.hidden, ...signing.files] };
  const common = { contract: file, tools: [...tools] };
  const keys = { keys: [...signing.keys] };
  const kernel = createKernel(
    {
      plugins: [
        phases({ ...common, mode }),
        artifacts(common),
        gates({ ...common, workspace }),
        tokens({ ...common, ...keys }),
        // No status file: /status computes the same on request, and writing a file for a run with many tasks costs more than its calls.
        tasks(),
        monitoring(common),
        constitution({ agent_rules: "own" }),
        ...behaviors(contract, callable),
        ...(agreed === undefined ? [] : agreement(agreed)),
        ...(policies.length === 0
          ? []
          : [policyPlugin.policy({ files: [...policies], operator: true, discover: "none" })]),
        serverFilePolicy(policyPlugin, all),
        ...own,
      ],
      enforcement_mode: mode,
    },
    { name: "bylaw serve" },
  );
  return {
    kernel,
    contract,
    signer: createSigner({ ...common, ...keys }),
    serverFilePaths: all,
    signing,
  };
}

/** The plugins that let agents pause, call each other and request oversight. */
const behaviors = ({ phases: all }: Contract, agents: readonly string[]): readonly Plugin[] => [
  checkpoint(),
  vibecheck(),
  loop({ order: all.map(({ id }) => id) }),
  ...(agents.length === 0 ? [] : [trigger({ agents: [...new Set(agents)] })]),
];

const agreement = ({ novelty }: Pick<Settings, "novelty">): readonly Plugin[] => [
  reasons({ workflow_tools: { vote: "vote", new_answer: "answer" }, novelty }),
  consensus(),
  redactRefused(),
];

interface ConfiguredRules extends Pick<UsualRules, "own" | "serverFilePaths"> {
  readonly file: string;
  /** Packages that the configuration may use without installing them. */
  readonly bundled: BundledPackages;
  /** Checks again where the code of the server comes from, and returns the places to protect. */
  readonly guard: () => readonly string[];
}

/** The kernel of a configuration. Throws BYLAW_SERVICE_UNFIT if it lacks a plugin that a server needs. */
export async function configuredRules({
  file,
  own,
  serverFilePaths,
  bundled,
  guard,
}: ConfiguredRules): Promise<Rules> {
  const folder = dirname(file);
  let configured = serverFilePaths;
  const { kernel } = await createConfiguredKernel({
    file,
    bundled,
    async add(_, config) {
      const files = configuredFiles(config, folder);
      configured = {
        hidden: [...serverFilePaths.hidden, ...files.hidden],
        kept: [...serverFilePaths.kept, ...guard(), ...files.kept],
      };
      // Loaded from where the configuration has its plugins, because a kernel refuses two copies of one plugin.
      const load = await packageLoaderFor(file, {
        [POLICY]: import.meta.resolve(POLICY),
        ...bundled,
      });
      return [
        ...own,
        serverFilePolicy((await load(POLICY)) as unknown as typeof policyPlugin, configured),
      ];
    },
  });
  const [gating, signing] = [PHASES, TOKENS].map((name) => instanceOf(kernel, name, file));
  instanceOf(kernel, TASKS, file);
  const contract = configuredContract(gating?.options, folder);
  const signer = createSigner(signing?.options, folder);
  return {
    kernel,
    contract,
    signer,
    serverFilePaths: configured,
    signing: configuredKeys(keysIn(signing?.options), contract.enforcement.tokens, folder),
  };
}

const PHASES = "@bylaw/plugin-phases";
const TASKS = "@bylaw/plugin-tasks";

function instanceOf(
  { plugins }: Kernel,
  name: string,
  file: string,
): Kernel["plugins"][number]["instances"][number] {
  const [instance] = plugins.find(({ plugin }) => plugin.name === name)?.instances ?? [];
  if (instance !== undefined) return instance;
  throw new BylawError({
    code: "BYLAW_SERVICE_UNFIT",
    message: `The configuration has no ${name}, which a server needs`,
    fix: "Use `tdd()` of @bylaw/ruleset-tdd, or add the plugin.",
    source: { file },
  });
}
