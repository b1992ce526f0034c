import { Session, type Debugger } from "node:inspector";
import { createRequire } from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

/** The name that Node gave a script, whatever a comment in it says. Node's types lack it. */
interface Script extends Debugger.ScriptParsedEventDataType {
  readonly embedderName?: string;
}

/**
 * Every file that this thread has loaded as a module, absolute. The module map of Node cannot be read, and `require.cache` knows no module
 * that was imported; the inspector names every script.
 */
export function loadedFiles(): readonly string[] {
  const scripts: string[] = [];
  const session = new Session();
  session.connect();
  try {
    session.on("Debugger.scriptParsed", ({ params }) => {
      const { embedderName, url }: Script = params;
      scripts.push(embedderName ?? url);
    });
    session.post("Debugger.enable");
  } finally {
    session.disconnect();
  }
  const files = [...scripts.flatMap(fileOf), ...Object.keys(createRequire(import.meta.url).cache)];
  // An inspector that tells nothing must not look like a server that loaded nothing.
  if (!files.includes(fileURLToPath(import.meta.url)))
    throw new Error("The inspector does not list this module");
  return [...new Set(files)];
}

function fileOf(name: string): readonly string[] {
  if (isAbsolute(name)) return [name];
  return name.startsWith("file:") && URL.canParse(name) ? [fileURLToPath(name)] : [];
}
