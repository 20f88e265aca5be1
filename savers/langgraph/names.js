import { createHash } from "node:crypto";

// Names by which Piton finds what LangGraph names. A thread's or a checkpoint's own id
// stays as it is where it is a plain word, so that people recognise it; any other is
// replaced by its sum, so that no two ids ever share a name.
const plain = /^[A-Za-z0-9][A-Za-z0-9._:|-]{0,79}$/;
const taken = /^(wf|chk|ses|prj|ltr)_/i; // Piton reads these as ids of its own
const token = /(?![0-9a-f]{20})[A-Za-z0-9]{20}/; // may be a credential, which Piton takes for no name

export function nameOf(id) {
  if (plain.test(id) && !taken.test(id) && !token.test(id)) return id;
  // JSON keeps halves of surrogate pairs apart, which UTF-8 does not.
  return "~" + createHash("sha256").update(JSON.stringify(id)).digest("hex").slice(0, 40);
}

/** The workflow of a thread's namespace, and the one of the writes that wait there. */
export const workflowOf = (thread, ns) => nameOf(thread) + (ns ? "/" + nameOf(ns) : "");
export const writesOf = (workflow) => workflow + "#writes";

/** Tags, by one of which at a time Piton lists. Writes have others than checkpoints. */
export const ofSaver = "langgraph";
export const ofThread = (thread) => "thread:" + nameOf(thread);
export const ofCheckpoint = (id) => "checkpoint:" + nameOf(id);
export const ofWrites = (id) => "writes:" + nameOf(id);
export const ofThreadsWrites = (thread) => "writes-of-thread:" + nameOf(thread);

/** The tags of what metadata says, as far as it is of the usual form. */
export const ofSource = (source) => (typeof source === "string" && nameOf(source) === source ? "source:" + source : undefined);
export const ofStep = (step) => (Number.isInteger(step) ? "step:" + step : undefined);

/** Whether a record may be of a checkpoint before another one: a tag says which it is. */
export function mayBeBelow(record, id) {
  const own = record.tags?.find((t) => t.startsWith("checkpoint:"))?.slice("checkpoint:".length);
  return !own || own.startsWith("~") || own < id;
}

/** A thread's id as people may read it, where its name does not show it. */
export function described(thread) {
  if (nameOf(thread) === thread) return undefined;
  return "thread " + thread.slice(0, 200).toWellFormed().replace(/\p{Cc}/gu, " ");
}
