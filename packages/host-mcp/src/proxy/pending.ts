import type { Json } from "@bylaw/kernel";
import type { MessageId } from "./message.ts";

/** An open request of the client. */
export interface PendingRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: Json | undefined;
  readonly text: string;
  /** Whether the server has received it. */
  forwarded: boolean;
  /** Whether the client cancelled it. Its id stays in use until the server answers. */
  cancelled: boolean;
  /** Ends the proxy's own wait for the request. */
  onCancel?: () => void;
}
