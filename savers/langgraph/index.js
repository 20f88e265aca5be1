import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { BaseCheckpointSaver, TASKS, WRITES_IDX_MAP, compareWritesSortKeys, maxChannelVersion } from "@langchain/langgraph-checkpoint";
import { Client, pitonHome } from "./client.js";
import * as name from "./names.js";
import { entriesOf, stateOf, valueOf } from "./state.js";

export { NoAnswer, PitonError } from "./client.js";

const type = "langgraph"; // of the workflows
const inOnePage = 16; // checkpoints whose states are read at once
const recordsInPage = 200; // where most are passed over by their records
const writesOfOne = 4; // newest records of writes that are read with one checkpoint
const writesOfPage = 48; // and with a page of them; with more pages all are
const kept = 10_000; // workflows and checkpoints of which something is remembered

const sumOf = (text) => createHash("sha256").update(text).digest("hex");
const at = (thread_id, checkpoint_ns, checkpoint_id) => ({ configurable: { thread_id, checkpoint_ns, checkpoint_id } });

/**
 * Keeps the checkpoints of LangGraph's graphs in Piton: a thread's namespace is a
 * workflow, a checkpoint one of Piton's, whose parent is the parent's; what is put on an
 * older one begins a branch. States come back exactly, so secrets in them are kept too,
 * unless redact is set.
 */
export class PitonSaver extends BaseCheckpointSaver {
  #piton;
  #project;
  #redact;
  // Where the newest known checkpoint of each workflow lies, so that the next put is
  // one request. A place that is not true any more is a conflict, which writes nothing.
  #places = new Map();
  // How far the writes of each workflow are known to have come. A checkpoint has none
  // before where they were when it was made.
  #told = new Map();
  #there = new Map(); // checkpoints that are put, by their ids
  #ahead = new Map(); // of one whose writes came before it was put, where they were then

  constructor({ url, socket, token, project, redact = false, patience, serde } = {}) {
    super(serde);
    this.#piton = new Client({ url, socket, token, patience });
    if (!project) mkdirSync((project = join(pitonHome(), type)), { recursive: true, mode: 0o700 });
    this.#project = project;
    this.#redact = redact;
  }

  /** Closes the connections to the daemon. */
  async end() {
    this.#piton.close();
  }

  async put(config, checkpoint, metadata, newVersions) {
    const { thread, ns, id: parent } = named(config);
    const workflow = name.workflowOf(thread, ns);
    const values = parent || !newVersions ? checkpoint.channel_values : only(checkpoint.channel_values, newVersions);
    const state = await stateOf(this.serde, {
      thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id, parent_checkpoint_id: parent, metadata, writes_after: this.#writesAfter(workflow, checkpoint.id),
      checkpoint: { ...checkpoint, channel_values: values },
    });
    const says = [name.ofSource(metadata?.source), name.ofStep(metadata?.step)].filter(Boolean);
    const tags = [name.ofSaver, name.ofThread(thread), name.ofCheckpoint(checkpoint.id), ...says];
    const draft = { tags, description: name.described(thread), ...placed(metadata) };
    const after = parent && (await this.#placeOf(workflow, parent));
    const saved = await this.#append(workflow, checkpoint.id, after, draft, state);
    this.#isThere(workflow, checkpoint.id, saved);
    this.#ahead.delete(workflow + checkpoint.id);
    return at(thread, ns, checkpoint.id);
  }

  async putWrites(config, writes, taskId, taskPath = "") {
    const { thread, ns, id } = named(config);
    if (!id) throw new Error('Missing "checkpoint_id" field in passed "config.configurable".');
    // LangGraph does not wait for the put of a checkpoint before it tells of its tasks.
    const rows = writes.map(([channel, value], i) => ({ idx: WRITES_IDX_MAP[channel] ?? i, channel, value }));
    const state = await stateOf(this.serde, { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id, task_id: taskId, task_path: taskPath, writes: rows });
    const tags = [name.ofThreadsWrites(thread), name.ofWrites(id)];
    // Told twice, they are the same writes: see merged.
    const workflow = name.workflowOf(thread, ns);
    if (!this.#there.has(workflow + id) && !this.#ahead.has(workflow + id)) this.#ahead.set(workflow + id, this.#told.get(workflow));
    this.#hasTold(workflow, await this.#save({ workflow: name.writesOf(workflow), tags, description: name.described(thread) }, state));
  }

  async getTuple(config) {
    const { thread_id, checkpoint_ns: ns = "", checkpoint_id: id } = config.configurable ?? {};
    if (thread_id === undefined) return undefined;
    const workflow = name.workflowOf(String(thread_id), ns);
    const writes = this.#newestWrites(writesOfOne);
    const [[entry]] = await Promise.all([this.#entries({ workflow, tag: id && name.ofCheckpoint(id), limit: 1 }), writes(workflow)]);
    return entry && this.#tuple(entry, await this.#read(entry), writes);
  }

  async *list(config, { limit, before, filter } = {}) {
    const { thread_id, checkpoint_ns: ns, checkpoint_id: id } = config?.configurable ?? {};
    const below = before?.configurable?.checkpoint_id;
    const wanted = Object.entries(filter ?? {}).filter(([, v]) => v !== undefined);
    const fits = (x) => (ns === undefined || x.checkpoint_ns === ns) && (!id || x.checkpoint_id === id) &&
      (!below || x.checkpoint_id < below) && wanted.every(([key, v]) => within(x.metadata?.[key], v));
    const most = limit || Infinity;
    const by = scope(thread_id, ns, id, filter);
    const seen = new Set(); // a checkpoint that was put again counts as it was put last
    const writes = this.#newestWrites(most <= inOnePage ? writesOfPage : 0);
    if (by.workflow && !below) writes(by.workflow).catch(() => {}); // meanwhile; who needs it is told
    for await (const page of this.#pages(by, below && ((r) => name.mayBeBelow(r, below)), limit)) {
      for (const entry of page) {
        const x = await this.#read(entry);
        const key = JSON.stringify([entry.record.workflow_id, x.checkpoint_id]);
        if (seen.has(key) || seen.size >= most || !fits(x)) continue;
        seen.add(key);
        yield await this.#tuple(entry, x, writes);
      }
      if (seen.size >= most) return;
    }
  }

  async deleteThread(threadId) {
    const thread = String(threadId);
    this.#places.clear();
    // Its writes go last: without them a checkpoint would not be what was saved.
    for (const tag of [name.ofThread(thread), name.ofThreadsWrites(thread)]) await this.#deleteTagged(tag);
  }

  async #deleteTagged(tag) {
    for (let before = Infinity; ; ) {
      const { checkpoints } = (await this.#piton.ask("GET", "/v1/checkpoints", { query: { project: this.#project, tag, limit: recordsInPage } })).json();
      if (!checkpoints.length) return;
      const first = checkpoints[0].id;
      if (first === before) throw new Error(`piton: what has the tag ${tag} was not deleted: ${first} is kept (has it a name?)`);
      before = first;
      for (const workflow of new Set(checkpoints.map((c) => c.workflow_id))) {
        await this.#piton.find("DELETE", "/v1/checkpoints", { query: { project: this.#project, workflow } });
      }
    }
  }

  // Saving.

  /** Saves a checkpoint behind another one, or begins a branch where the line has gone on. */
  async #append(workflow, id, after, draft, state) {
    const before = () => this.#savedAs(workflow, id, state);
    try {
      return await this.#save({ ...draft, workflow, branch: after?.branch, parent: after?.id }, state, before);
    } catch (e) {
      if (after && e.code === "not_found") return this.#append(workflow, id, undefined, draft, state); // deleted meanwhile
      if (!after || e.code !== "conflict") throw e;
    }
    // Somebody else has gone on, or a lost answer said that this has.
    const found = await before();
    if (found) return found;
    for (let n = 1; ; n++) {
      const branch = n > 1 ? `${name.nameOf(id)}.${n}` : name.nameOf(id);
      try {
        return await this.#post(`/v1/checkpoints/${after.id}/fork`, { ...draft, branch }, state, before);
      } catch (e) {
        if (e.code !== "conflict" || n >= 100) throw e; // the branch is there: the checkpoint was put before
      }
    }
  }

  #save(draft, state, before) {
    return this.#post("/v1/checkpoints", { type, trigger: "auto", ...draft }, state, before);
  }

  async #post(path, draft, state, before) {
    const rest = JSON.stringify({ ...draft, project: this.#project, verbatim: !this.#redact });
    const answer = await this.#piton.ask("POST", path, { body: `${rest.slice(0, -1)},"state":${state}}` }, before);
    return answer.json();
  }

  /** The checkpoint that was saved with this state, where there is one. */
  async #savedAs(workflow, id, state) {
    const [record] = await this.#records({ workflow, tag: name.ofCheckpoint(id), limit: 1 });
    return record?.sha256 === sumOf(state) ? record : undefined;
  }

  /** Where a checkpoint of LangGraph lies; undefined where it is not kept. */
  async #placeOf(workflow, id) {
    const known = this.#places.get(workflow);
    if (known?.of === id) return known;
    const [record] = await this.#records({ workflow, tag: name.ofCheckpoint(id), limit: 1 });
    return record;
  }

  #isThere(workflow, of, { id, branch }) {
    remember(this.#places, workflow, { of, id, branch });
    remember(this.#there, workflow + of, true);
  }

  /** Where the writes of a checkpoint begin at the earliest; undefined where it is not known. */
  #writesAfter(workflow, id) {
    if (this.#ahead.size > kept) return undefined; // more than are waited for: nothing is certain
    return this.#ahead.has(workflow + id) ? this.#ahead.get(workflow + id) : this.#told.get(workflow);
  }

  #hasTold(workflow, { workflow_id, seq }) {
    const known = this.#told.get(workflow);
    if (known?.workflow !== workflow_id || known.seq < seq) remember(this.#told, workflow, { workflow: workflow_id, seq });
  }

  // Reading.

  async #records(query) {
    const answer = await this.#piton.find("GET", "/v1/checkpoints", { query: { project: this.#project, ...query } });
    return answer?.json().checkpoints ?? [];
  }

  /** Checkpoints with their states, newest first. One that cannot be read is an error. */
  async #entries(query) {
    const answer = await this.#piton.find("GET", "/v1/export", { query: { project: this.#project, lines: true, limit: 0, ...query } });
    if (!answer) return [];
    if (Number(answer.left ?? 0) > 0) throw new Error(`piton: a checkpoint of ${query.workflow ?? query.tag} cannot be read: 'piton verify' says which`);
    return [...entriesOf(answer.bytes)].reverse();
  }

  /** Pages of entries, newest first, without those that a look at the record rules out. */
  async *#pages(query, fits, limit) {
    const size = fits ? recordsInPage : Math.min(limit || inOnePage, inOnePage);
    for (let cursor; ; ) {
      const asked = { ...query, limit: size, cursor };
      const page = !fits && (await this.#entries(asked));
      if (page) yield page;
      if (page?.length < size) return;
      const { checkpoints = [], next_cursor } = (await this.#piton.find("GET", "/v1/checkpoints", { query: { project: this.#project, ...asked } }))?.json() ?? {};
      if (!page) yield* this.#each(checkpoints.filter(fits));
      if (!next_cursor) return;
      cursor = next_cursor;
    }
  }

  /** The records with their states, some at a time. */
  async *#each(records) {
    for (let i = 0; i < records.length; i += inOnePage) {
      const read = async (record) => ({ record, state: (await this.#piton.ask("GET", `/v1/checkpoints/${record.id}/state`)).bytes });
      yield await Promise.all(records.slice(i, i + inOnePage).map(read));
    }
  }

  async #read({ record, state }) {
    const x = await valueOf(this.serde, state);
    if (!x?.checkpoint) throw new Error(`piton: the state of ${record.id} (workflow ${record.workflow}) is none of LangGraph's`);
    return x;
  }

  async #tuple({ record }, x, newest) {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id, parent_checkpoint_id: parent, checkpoint, metadata, writes_after: after } = x;
    const workflow = name.workflowOf(thread, ns);
    this.#isThere(workflow, id, record);
    const writes = await this.#writesOf(workflow, id, await newest(workflow), after);
    if (checkpoint.v < 4 && parent) await this.#addSends(checkpoint, await this.#writesOf(workflow, parent));
    return {
      config: at(thread, ns, id), checkpoint, metadata, parentConfig: parent ? at(thread, ns, parent) : undefined,
      pendingWrites: writes.map((w) => [w.task, w.channel, w.value]),
    };
  }

  /** Reads the newest writes of workflows, each once: so many records, 0 for all. */
  #newestWrites(limit) {
    const pages = new Map();
    return (workflow) => {
      if (!pages.has(workflow)) pages.set(workflow, this.#entries({ workflow: name.writesOf(workflow), limit }).then((entries) => this.#pageOf(workflow, entries, limit)));
      return pages.get(workflow);
    };
  }

  #pageOf(workflow, entries, limit) {
    const of = new Map();
    for (const x of entries) for (const tag of x.record.tags) of.set(tag, [...(of.get(tag) ?? []), x]);
    if (entries.length) this.#hasTold(workflow, entries[0].record);
    return { all: !limit || entries.length < limit, of, oldest: entries.at(-1)?.record };
  }

  /**
   * The writes of a checkpoint's tasks, in the order in which LangGraph applies them. They
   * are among the newest ones that were read, if these reach back to where the writes of
   * the workflow were when the checkpoint was put.
   */
  async #writesOf(workflow, id, newest, after) {
    const tag = name.ofWrites(id);
    const reaches = newest?.all || (after && newest?.oldest.workflow_id === after.workflow && newest.oldest.seq <= after.seq + 1);
    const entries = reaches ? newest.of.get(tag) ?? [] : await this.#entries({ workflow: name.writesOf(workflow), tag });
    return merged(await Promise.all(entries.toReversed().map((x) => valueOf(this.serde, x.state))));
  }

  /** Before version 4 a checkpoint had its sends among the writes of its parent. */
  async #addSends(checkpoint, writes) {
    checkpoint.channel_values[TASKS] = writes.filter((w) => w.channel === TASKS).map((w) => w.value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

/** What a config names; thread and namespace are texts. */
function named(config) {
  const { thread_id, checkpoint_ns = "", checkpoint_id: id } = config.configurable ?? {};
  if (thread_id === undefined || thread_id === "") throw new Error('Missing "thread_id" field in passed "config.configurable".');
  return { thread: String(thread_id), ns: checkpoint_ns, id };
}

/** A checkpoint's place in the work, as records show it. */
function placed({ source, step } = {}) {
  return { step: step >= 0 ? step : undefined, step_name: name.ofSource(source) && source };
}

/** Remembers something, and forgets what was remembered first. */
function remember(map, key, what) {
  map.delete(key);
  map.set(key, what);
  if (map.size > kept) map.delete(map.keys().next().value);
}

const only = (values, versions) => Object.fromEntries(Object.entries(values).filter(([channel]) => Object.hasOwn(versions, channel)));

/** What Piton lists by: a workflow where it is known, and one tag. */
function scope(thread, ns, id, filter) {
  const workflow = thread !== undefined && ns !== undefined ? name.workflowOf(String(thread), ns) : undefined;
  const tags = [
    id && name.ofCheckpoint(id),
    !workflow && thread !== undefined && name.ofThread(String(thread)),
    name.ofStep(filter?.step),
    name.ofSource(filter?.source),
  ];
  return { workflow, tag: tags.find(Boolean) || (workflow ? undefined : name.ofSaver) };
}

/** Whether a value holds another one, as JSON. */
function within(value, part) {
  if (part === null || typeof part !== "object") return value === part;
  return value !== null && typeof value === "object" && Object.entries(part).every(([key, x]) => Object.hasOwn(value, key) && within(value[key], x));
}

/**
 * What was told of writes, oldest first, as the writes that count: of one that was told
 * twice the first, because a task that runs again does what it did; of those that
 * LangGraph replaces (an interrupt, its answer) the last.
 */
function merged(told) {
  const rows = new Map();
  for (const { task_id: task, task_path: path, writes } of told) {
    const replaces = writes.every((w) => w.channel in WRITES_IDX_MAP);
    for (const { idx, channel, value } of writes) {
      const key = JSON.stringify([task, idx]);
      if (replaces || !rows.has(key)) rows.set(key, { task, path, idx, channel, value });
    }
  }
  return [...rows.values()].sort((a, b) => compareWritesSortKeys([a.path, a.task, a.idx], [b.path, b.task, b.idx]));
}
