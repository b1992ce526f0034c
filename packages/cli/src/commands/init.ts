import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CONFIG_EXTENSIONS, ignoreRecords } from "@bylaw/config";
import { BylawError, messageOf } from "@bylaw/kernel";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { CONFIGS, POLICY, POLICY_FILE, type InitFormat } from "./init-files.ts";
import { place } from "../io/text.ts";

/** The options of `bylaw init`. */
export interface InitOptions {
  readonly format: InitFormat;
  readonly json?: boolean;
}

const INSTALL = "npm install --save-dev @bylaw/cli @bylaw/kernel @bylaw/plugin-policy";

/** Writes a configuration and a policy into a folder, with what git is to leave out there; all or nothing, and never over a file that is there. */
export async function init(
  directory: string,
  { format, json = false }: InitOptions,
): Promise<void> {
  const root = resolve(directory);
  refuseExisting(root);
  const files = [
    [join(root, POLICY_FILE), POLICY],
    [join(root, `bylaw.config.${format}`), CONFIGS[format]],
  ] as const;
  const written: string[] = [];
  const make = (file: string, work: () => boolean): void => {
    try {
      if (work()) written.push(file);
    } catch (cause) {
      for (const mine of written) rmSync(mine);
      throw unwritable(file, cause);
    }
  };
  for (const [file, text] of files)
    make(file, () => {
      makeFolder(dirname(file));
      writeFileSync(file, text, { flag: "wx" });
      return true;
    });
  const beside = dirname(join(root, POLICY_FILE));
  make(join(beside, ".gitignore"), () => ignoreRecords(beside) !== undefined);
  const inside = directory === "." ? "" : `cd ${place({ file: root })} && `;
  const next = [
    `${inside}${INSTALL}`,
    `${inside}npx bylaw check --tool read_file --args '{"path":"README.md"}'`,
    `${inside}npx bylaw explain --tool bash --args '{"command":"git push --force"}'`,
  ];
  const lines = [
    ...written.map((file) => `wrote ${place({ file })}`),
    "",
    "Next:",
    ...next.map((step) => `  ${step}`),
  ];
  await write(json ? jsonLine({ written, next }) : `${lines.join("\n")}\n`);
  conclude(0);
}

// One by one: Node's own `recursive` never ends where the system knows no such folder, as below /proc.
function makeFolder(folder: string): void {
  if (existsSync(folder) || dirname(folder) === folder) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function refuseExisting(root: string): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw exists(root, `${place({ file: root })} is a file, not a folder`);
  const names = [...CONFIG_EXTENSIONS.map((extension) => `bylaw.config.${extension}`), POLICY_FILE];
  const present = names.map((name) => join(root, name)).find((file) => existsSync(file));
  if (present !== undefined) throw exists(present);
}

function exists(
  file: string,
  message = `${place({ file })} already exists; nothing was written`,
): BylawError {
  return new BylawError({
    code: "BYLAW_INIT_EXISTS",
    message,
    fix: "Edit the file, or name another folder",
    source: { file },
  });
}

function unwritable(file: string, cause: unknown): BylawError {
  if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
    return exists(file);
  }
  return new BylawError({
    code: "BYLAW_INIT_FAILED",
    message: `Cannot write ${place({ file })}: ${messageOf(cause)}`,
    source: { file },
    cause,
  });
}
