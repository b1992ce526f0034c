import { readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules, runChild } from "@bylaw/testing";
import { MemorySaver } from "@langchain/langgraph";
import { AIMessage, createAgent, fakeModel, tool } from "langchain";
import { z } from "zod";
import { guardMiddleware, type GuardOptions } from "../src/index.ts";

/** Checkpoints in a file, for another process to resume. */
export class FileSaver extends MemorySaver {
  readonly #file: string;

  constructor(file: string, { resume }: { readonly resume: boolean }) {
    super();
    this.#file = file;
    if (!resume) return;
    const { storage, writes } = deserialize(readFileSync(file)) as Pick<
      MemorySaver,
      "storage" | "writes"
    >;
    this.storage = storage;
    this.writes = writes;
  }

  override async put(...given: Parameters<MemorySaver["put"]>) {
    const kept = await super.put(...given);
    this.#save();
    return kept;
  }

  override async putWrites(...given: Parameters<MemorySaver["putWrites"]>) {
    await super.putWrites(...given);
    this.#save();
  }

  #save(): void {
    const { storage, writes } = this;
    writeFileSync(this.#file, serialize({ storage, writes }));
  }
}

export interface Call {
  readonly id: string;
  readonly tool?: string;
  readonly path: string;
}

/** A guarded agent. Its model makes these calls, one list per turn, and then answers with these texts. */
export async function openAgent({
  turns = [],
  texts = ["All tests pass"],
  file,
  checkpointer = new MemorySaver(),
  ...options
}: {
  readonly turns?: readonly (readonly Call[])[];
  readonly texts?: readonly string[];
  /** The store of the run. */
  readonly file?: string;
  readonly checkpointer?: MemorySaver;
} & Partial<GuardOptions> = {}) {
  const kernel = createKernel({ plugins: [pathRules], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  const run = await openRun(kernel, { run: "r", join: true, ...kept });
  const ran: string[] = [];
  const noting = (name: string) =>
    tool(
      ({ path }: { path: string }) => {
        ran.push(path);
        if (path === "fails") throw new Error("no such file");
        return `${name} ${path}`;
      },
      { name, description: name, schema: z.object({ path: z.string() }) },
    );
  let model = fakeModel();
  for (const calls of turns)
    model = model.respondWithTools(
      calls.map(({ id, tool: name = "write", path }) => ({ name, args: { path }, id })),
    );
  for (const text of texts) model = model.respond(new AIMessage(text));
  const place = { agent: "bot", cwd: "/w", home: "/h" };
  const agent = createAgent({
    model,
    tools: [noting("write"), noting("look")],
    middleware: [guardMiddleware({ kernel, run, ...place, ...options })],
    checkpointer,
  });
  return { agent, model, run, ran };
}

/** Goes on in another process, with a person's answer. */
export function resume(saved: { file: string; checkpoints: string }, answer: object) {
  const child = new URL("resume.ts", import.meta.url);
  return runChild<{ ran: string[]; told: string[] }>(child, { ...saved, resume: answer });
}
