import type { HookAnswer } from "@bylaw/hook-client";
import { messageOf, omitUndefined } from "@bylaw/kernel";
import { DecidingThread } from "./deciding-thread.ts";
import type { HookRequest } from "./hook-request.ts";

/** The state of one configuration in the engine. */
export interface ConfigurationStatus {
  /** Absolute path. */
  readonly config: string;
  /** The time when the rules in force were loaded, in ISO 8601. Undefined if there are none. */
  readonly loaded_at?: string;
  /** The reason why the current files could not be loaded. */
  readonly fault?: string;
}

/** A configuration that stays loaded. It is loaded again when one of its files changes. */
export class Configuration {
  /** The time of the last event, in milliseconds since 1970. */
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

  /** Answers an event. Undefined if no version of the configuration could be loaded, or if the answer takes too long. */
  async answer(request: HookRequest): Promise<HookAnswer | undefined> {
    this.usedAt = Date.now();
    const thread = await (this.#loading ??= this.#ready().finally(() => {
      this.#loading = undefined;
    }));
    const answer = await thread?.ask(request);
    if (answer === undefined || answer.exit !== 0 || this.#failed === undefined) return answer;
    return {
      ...answer,
      stderr: `${answer.stderr}Bylaw: ${this.#failureText(this.#failed.message)}\n`,
    };
  }

  get status(): ConfigurationStatus {
    const loadedAt = this.#thread?.alive === true ? this.#loadedAt : undefined;
    return {
      config: this.#config,
      ...omitUndefined({ loaded_at: loadedAt, fault: this.#failed?.message }),
    };
  }

  /** Ends the thread after its open questions are answered. */
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
      this.#note(this.#failureText(this.#failed.message));
      return this.#thread;
    }
    if (this.#failed !== undefined) this.#note(`${this.#config} is loaded again`);
    this.#thread?.retire();
    this.#thread = next;
    this.#loadedAt = new Date().toISOString();
    this.#failed = undefined;
    return next;
  }

  #failureText(message: string): string {
    const instead = this.#thread === undefined ? "" : " The previous rules stay in force.";
    return `${this.#config} cannot be loaded: ${message.replace(/\.$/, "")}.${instead}`;
  }
}
