import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  findInstallFault,
  inspectSettings,
  type Host,
  type HostOutput,
  type SettingsReport,
} from "@bylaw/host";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { engineFindings } from "../hosts/engine-findings.ts";
import { operatorFindings } from "../hosts/operator-findings.ts";
import { hostNamed, HOSTS } from "../hosts/known-hosts.ts";
import { placeHere } from "../hosts/place.ts";
import { HOST_ARGUMENT } from "../hosts/scope.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor, plain } from "../io/text.ts";

/** One result of the checks. */
interface Finding {
  readonly check:
    | "installed"
    | "fails_closed"
    | "if_absent"
    | "guards_itself"
    | "out_of_reach"
    | "alone"
    | "operators"
    | "engine";
  readonly ok: boolean;
  readonly message: string;
}

const OPTIONS = [["--json", "print JSON"]] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { host: [`${HOST_ARGUMENT.host[0]} (default: each that has the hook)`] },
  options: OPTIONS,
  help: `
With --json it prints one line for each agent.
Exit code: 0 the agent asks Bylaw here and obeys; 1 it does not, and the reason is printed; 2 usage error.

Examples:
  $ bylaw install claude-code --project && bylaw doctor claude-code
  $ bylaw doctor claude-code --json`,
  run: doctor,
};

/** Checks that hosts ask Bylaw here and obey. Without a name, those that have the hook. Exits with 1 if one does not. */
async function doctor(
  name: string | undefined,
  { json = false }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const all = (name === undefined ? HOSTS : [hostNamed(name)]).map(
    (host) => [host, inspectSettings(host, placeHere(), process.cwd())] as const,
  );
  const hosts =
    name === undefined
      ? all.filter(([, reports]) => reports.some(({ command }) => command !== undefined))
      : all;
  if (hosts.length === 0 && !json)
    await write("The hook of Bylaw is not installed for any coding agent\n");
  const oks: boolean[] = [];
  for (const [host, reports] of hosts) oks.push(await examine(host, reports, json));
  conclude(oks.length > 0 && oks.every(Boolean) ? 0 : 1);
}

async function examine(
  host: Host,
  reports: readonly SettingsReport[],
  json: boolean,
): Promise<boolean> {
  const project = process.cwd();
  const fault = findInstallFault(host, reports);
  const installed = reports.filter(({ command }) => command !== undefined);
  // A managed hook needs nothing from a person.
  const note = installed.every(({ scope }) => scope === "managed") ? "" : host.note;
  const commands = installed.map(({ command = "" }) => command);
  const files = installed.map(({ file }) => file).join(", ");
  const findings: readonly Finding[] = [
    {
      check: "installed",
      ok: fault === undefined,
      message: fault ?? `Installed in ${files}. ${note ?? ""}`.trim(),
    },
    ...installed.flatMap((report) => probe(host, report, project)),
    ...installed.filter(({ command = "" }) => LEAVES.test(command)).map(noteAbsent),
    ...reports.flatMap(({ file, others = [] }) =>
      others.length === 0 ? [] : [noteOthers(file, `has ${others.join(", ")}. They run`)],
    ),
    ...(host.unjudged?.files ?? [])
      .map((file) => join(project, file))
      .filter((file) => existsSync(file))
      .map((file) => noteOthers(file, "runs")),
    ...operatorFindings(commands),
    // Last, because the trials above start the engine.
    ...(await engineFindings(commands)),
  ];
  const ok = findings.every((finding) => finding.ok);
  const paint = paintFor(process.stdout);
  const lines = findings.map(
    (finding) =>
      `${finding.ok ? paint("green", "ok") : paint("red", "no")}  ${plain(finding.message)}`,
  );
  await write(
    json ? jsonLine({ host: host.name, ok, findings }) : `${[host.title, ...lines].join("\n")}\n`,
  );
  return ok;
}

const LEAVES = /'(?: --strict)? --if-absent ask\b/;

const noteAbsent = ({ file }: SettingsReport): Finding => ({
  ...{ check: "if_absent", ok: true },
  message: `Note: the hook in ${file} leaves calls to the agent's own permissions if the program of Bylaw is missing (\`--if-absent ask\`). An agent that can remove the program gets rid of the rules.`,
});

// Measured with five agents: another hook that answers later replaces the arguments of a call that Bylaw allowed.
const noteOthers = (file: string, runs: string): Finding => ({
  ...{ check: "alone", ok: true },
  message: `Note: ${file} ${runs} commands without asking Bylaw. Other hooks can also change a call that it allowed.`,
});

// Runs the installed command exactly as the host would.
function probe(
  host: Host,
  { command = "", file }: SettingsReport,
  project: string,
): readonly Finding[] {
  const outputFor = (input: string): HostOutput => {
    // Nobody answers these trials.
    const { status, stdout, stderr } = spawnSync(command.replace(/ --wait \d+$/, ""), {
      shell: true,
      cwd: project,
      input,
      encoding: "utf8",
      timeout: host.capabilities.timeout_ms,
    });
    return { stdout, stderr, exit: status };
  };
  const line = (text: string): string => JSON.stringify(host.shellCall(text, project));
  const answers = outputFor(line("true")).exit === 0;
  const closed = answers && host.blocks(outputFor("this is no event"));
  const guarded = closed && host.blocks(outputFor(line(`echo '{}' > '${file}'`)));
  const [program = ""] = /'[^']*'(?= hook )/.exec(command) ?? [];
  const within = program.startsWith(`'${project}/`);
  return [
    {
      check: "fails_closed",
      ok: closed,
      message: closed
        ? "The installed command blocks calls that it cannot judge"
        : `The installed command ${answers ? "lets calls through that it cannot judge" : "does not answer"}: ${command}`,
    },
    {
      check: "guards_itself",
      ok: guarded,
      message: guarded
        ? `Calls that change ${file} are blocked`
        : `No rule stops the agent from changing ${file}. Extend \`@bylaw/ruleset-recommended\`.`,
    },
    {
      check: "out_of_reach",
      ok: true,
      message: within
        ? `Note: Bylaw itself is in the project (${program}), so an agent may change it`
        : "Bylaw itself is outside the project",
    },
  ];
}
