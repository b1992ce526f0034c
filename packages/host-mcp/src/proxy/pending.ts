import type { Json } from "@bylaw/kernel";
import type { MessageId } from "./message.ts";

/** An open request of the client. */
export interface PendingRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: Json | undefined;
  readonly text: string;
  /** The server has it. */
  forwarded: boolean;
  /** The client cancelled it. Its id stays in use until the server answers. */
  cancelled: boolean;
  /** Ends what the proxy itself waits for. */
  onCancel?: () => void;
}
