import type { BaseCheckpointSaver, Checkpoint, CheckpointListOptions, CheckpointMetadata, CheckpointTuple, PendingWrite, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";

export interface PitonSaverOptions {
  /** The daemon's socket; by default `piton.sock` in Piton's home. */
  socket?: string;
  /** Where `piton serve --listen` listens, instead of the socket: `http://127.0.0.1:7433`. */
  url?: string;
  /** What `url` needs; by default what is in the file `token` in Piton's home. */
  token?: string;
  /** The folder whose project the threads belong to; by default `langgraph` in Piton's home. */
  project?: string;
  /** Whether secrets are taken out of states. Then a state does not come back as it was. False by default. */
  redact?: boolean;
  /** Milliseconds for which a daemon that does not answer is asked again; 5000 by default. */
  patience?: number;
  serde?: SerializerProtocol;
}

export declare class PitonSaver extends BaseCheckpointSaver {
  constructor(options?: PitonSaverOptions);
  getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined>;
  list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;
  put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, newVersions?: Record<string, number | string>): Promise<RunnableConfig>;
  putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
  /** Closes the connections to the daemon. */
  end(): Promise<void>;
}

/** Piton refused a request: the status, and the code that its command line has too. */
export declare class PitonError extends Error {
  status: number;
  code: string;
}

/** No answer came: the request may have been done, or not. */
export declare class NoAnswer extends Error {}
