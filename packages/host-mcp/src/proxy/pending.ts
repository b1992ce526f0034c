import type { Json } from "@bylaw/kernel";
import type { MessageId } from "./message.ts";

/** A request of the client that was not answered yet. */
export interface PendingRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: Json | undefined;
  readonly text: string;
  /** The server has it. */
  forwarded: boolean;
  /** The client waits no more. Its id stays in use until the server answers. */
  cancelled: boolean;
  /** Ends what the proxy itself waits for. */
  onCancel?: () => void;
}
