import type { HookAnswer } from "@bylaw/hook-client";
import { messageOf, omitUndefined } from "@bylaw/kernel";
import { DecidingThread } from "./deciding-thread.ts";
import type { HookRequest } from "./hook-request.ts";

/** The state of one configuration in the engine. */
export interface ConfigurationStatus {
  /** Absolute path. */
  readonly config: string;
  /** When the rules in force were loaded, in ISO 8601; `undefined`: none are. */
  readonly loaded_at?: string;
  /** Why the current files are not in force. */
  readonly fault?: string;
}

/** A configuration that stays loaded, and is loaded again when a file that it was made from changes. */
export class Configuration {
  /** When it was asked last, in milliseconds. */
  usedAt = 0;
  readonly #config: string;
  readonly #program: URL;
  readonly #note: (text: string) => void;
  #thread: DecidingThread | undefined;
  #loadedAt: string | undefined;
  #failed: { readonly thread: DecidingThread; readonly message: string } | undefined;
  #loading: Promise<DecidingThread | undefined> | undefined;

  constructor(config: string, program: URL, note: (text: string) => void) {
    this.#config = config;
    this.#program = program;
    this.#note = note;
  }

  /** Answers an event; `undefined` where nothing is loaded that could, or where it takes too long. */
  async answer(request: HookRequest): Promise<HookAnswer | undefined> {
    this.usedAt = Date.now();
    const thread = await (this.#loading ??= this.#ready().finally(() => {
      this.#loading = undefined;
    }));
    const answer = await thread?.ask(request);
    if (answer === undefined || answer.exit !== 0 || this.#failed === undefined) return answer;
    return { ...answer, stderr: `${answer.stderr}Bylaw: ${this.#told(this.#failed.message)}\n` };
  }

  get status(): ConfigurationStatus {
    const loadedAt = this.#thread?.alive === true ? this.#loadedAt : undefined;
    return {
      config: this.#config,
      ...omitUndefined({ loaded_at: loadedAt, fault: this.#failed?.message }),
    };
  }

  /** Ends it after its open questions are answered. */
  retire(): void {
    this.#thread?.retire();
  }

  async #ready(): Promise<DecidingThread | undefined> {
    if (this.#thread?.alive !== true) this.#thread = undefined;
    else if (!(this.#failed?.thread ?? this.#thread).changed) return this.#thread;
    return await this.#load();
  }

  async #load(): Promise<DecidingThread | undefined> {
    const next = new DecidingThread(this.#config, this.#program);
    try {
      await next.loaded;
    } catch (error) {
      this.#failed = { thread: next, message: messageOf(error) };
      this.#note(this.#told(this.#failed.message));
      return this.#thread;
    }
    if (this.#failed !== undefined) this.#note(`${this.#config} is loaded again`);
    this.#thread?.retire();
    this.#thread = next;
    this.#loadedAt = new Date().toISOString();
    this.#failed = undefined;
    return next;
  }

  #told(message: string): string {
    const instead = this.#thread === undefined ? "" : " The rules from before stay in force.";
    return `${this.#config} cannot be loaded: ${message.replace(/\.$/, "")}.${instead}`;
  }
}
