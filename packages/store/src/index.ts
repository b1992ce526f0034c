export {
  StoreConflict,
  type Claim,
  type ClaimRequest,
  type Commit,
  type DocumentWrite,
  type ExpiredLease,
  type Receipt,
  type Store,
  type StoredDocument,
  type TaskWrite,
} from "./store.ts";
