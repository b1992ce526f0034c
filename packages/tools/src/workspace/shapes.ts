import { z } from "zod";

/** A path of an argument: from the workspace, or absolute and in it. */
export const path = z.string().min(1).max(4_096);

/** A path to search in. */
export const searched = path.default(".").describe("A folder or file to search in");
