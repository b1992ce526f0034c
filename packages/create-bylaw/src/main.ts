import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isCancel, select, text } from "@clack/prompts";
import manifest from "../package.json" with { type: "json" };
import { create, Refusal, refusalOf } from "./create.ts";
import { isKind, KINDS, type Kind } from "./kinds.ts";

const HELP = `Usage: npm create bylaw@latest [folder] -- [options]

Make a project that uses Bylaw, a plugin, a gate check or a ruleset, with a test and a README

Options:
  --kind <kind>  what to make: ${Object.keys(KINDS).join(", ")}
  --name <name>  the name of its npm package (default: that of the folder)
  --version      print the version
  -h, --help     display help for command

In a terminal it asks for what is missing. Elsewhere \`--kind\` and the folder are needed.
Exit code: 0 made, 2 nothing was made.

Examples:
  $ npm create bylaw@latest
  $ npm create bylaw@latest acme-rules -- --kind ruleset
  $ npm create bylaw@latest rules -- --kind ruleset --name @acme/rules
`;

interface Wanted {
  readonly folder: string;
  readonly kind: Kind;
  readonly name: string;
}

// Nothing was created unless this reaches the end.
process.exitCode = 2;
try {
  await main(process.argv.slice(2));
} catch (error) {
  const { message, fix } = asRefusal(error);
  console.error(`error: ${message}\n  fix: ${fix}`);
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      kind: { type: "string" },
      name: { type: "string" },
      version: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true || values.version === true) {
    process.stdout.write(values.help === true ? HELP : `${manifest.version}\n`);
    process.exitCode = 0;
    return;
  }
  const [given, more] = positionals;
  if (more !== undefined) throw new Refusal("Two folders were given", "Name one folder");
  const wanted = await ask({ ...values, folder: given });
  if (wanted === undefined) {
    console.log("Nothing was made");
    return;
  }
  const files = create(wanted.folder, wanted.kind, wanted.name);
  const steps = [`cd ${wanted.folder}`, "npm install", ...KINDS[wanted.kind].next];
  console.log(
    [
      ...files.map((file) => `wrote ${wanted.folder}/${file}`),
      "",
      "next:",
      ...steps.map((step) => `  ${step}`),
    ].join("\n"),
  );
  process.exitCode = 0;
}

/** Asks the person at the terminal for the missing options. Undefined if the person cancelled. */
async function ask(given: {
  readonly folder: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}): Promise<Wanted | undefined> {
  const asking = process.stdin.isTTY && process.stdout.isTTY;
  const kind = given.kind ?? (asking ? await askKind() : missing("--kind"));
  if (isCancel(kind)) return undefined;
  if (!isKind(kind))
    throw new Refusal(
      `\`--kind\` cannot be \`${kind}\``,
      `Give one of ${Object.keys(KINDS).join(", ")}`,
    );
  const folder = given.folder ?? (asking ? await askFolder(kind) : missing("a folder"));
  if (isCancel(folder)) return undefined;
  return { folder, kind, name: given.name ?? basename(resolve(folder)).toLowerCase() };
}

function askKind() {
  return select<Kind>({
    message: "What do you want to make?",
    options: Object.entries(KINDS).map(([value, { title }]) => ({
      value: value as Kind,
      label: title,
    })),
  });
}

function askFolder(kind: Kind) {
  return text({
    message: "In which new folder?",
    initialValue: `my-${kind}`,
    validate: (value) => refusalOf(basename(resolve(value ?? ""))),
  });
}

function missing(what: string): never {
  throw new Refusal(
    `${what === "--kind" ? "`--kind`" : "A folder"} is missing, and there is no terminal to ask in`,
    "See `npm create bylaw@latest -- --help`",
  );
}

function asRefusal(error: unknown): { readonly message: string; readonly fix: string } {
  if (error instanceof Refusal) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith("ERR_PARSE_ARGS") === true)
    return {
      message: message.split(". ")[0] ?? message,
      fix: "See `npm create bylaw@latest -- --help`",
    };
  return { message, fix: "Name a folder that you may write to" };
}
