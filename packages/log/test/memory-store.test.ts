import { describeStore } from "@bylaw/testing";
import { describe, it } from "vitest";
import { createMemoryStore } from "../src/index.ts";

describeStore("the memory store", ({ now }) => ({ store: createMemoryStore({ now }) }), { describe, it });
