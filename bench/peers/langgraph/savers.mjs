// Runs LangGraph's savers for `make bench-peers`: reads one JSON object a line
// on stdin, does that one thing, and answers with one line. Only the saver's own
// work is timed: reading a state's file and comparing what came back is not.
import { createHash } from "node:crypto";
import fs from "node:fs";
import readline from "node:readline";
import pg from "pg";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";

const savers = new Map(); // by name: { saver, threads }
let last = { path: "", state: null }; // several savers put the same state in turn

const now = () => Number(process.hrtime.bigint()) / 1e6;

function read(path) {
  if (last.path !== path) {
    const text = fs.readFileSync(path, "utf8");
    const state = JSON.parse(text);
    if (JSON.stringify(state) !== text) throw new Error(path + " is not what JSON.stringify writes");
    last = { path, state };
  }
  return last.state;
}

// thread is what a graph that runs on it would hold in memory.
function thread(s, name) {
  if (!s.threads.has(name)) s.threads.set(name, { version: 0, parent: undefined, state: null });
  return s.threads.get(name);
}

const config = (name, id) => ({ configurable: { thread_id: name, checkpoint_ns: "", ...(id ? { checkpoint_id: id } : {}) } });

// put is what a graph does after a step that changed the messages.
async function put(s, name, state) {
  const t = thread(s, name);
  const v = ++t.version;
  const checkpoint = {
    v: 4, id: uuid6(v % 16000), ts: new Date().toISOString(), channel_values: state,
    channel_versions: { task: 1, messages: v }, versions_seen: { __input__: {}, agent: { messages: v - 1 } },
  };
  const metadata = { source: "loop", step: v, parents: {} };
  const versions = v === 1 ? { task: 1, messages: v } : { messages: v };
  const start = now();
  const kept = await s.saver.put(config(name, t.parent), checkpoint, metadata, versions);
  const ms = now() - start;
  t.parent = kept.configurable.checkpoint_id;
  return { ms };
}

async function query(url, text, args) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text, args)).rows;
  } finally {
    await client.end();
  }
}

const ops = {
  version: () => ({ settings: "node " + process.version }),
  async open({ saver: name, kind, where, sync }) {
    let saver, settings;
    if (kind === "postgres") {
      saver = PostgresSaver.fromConnString(where);
      await saver.setup();
      settings = (await ops.settings({ where })).settings;
    } else {
      saver = SqliteSaver.fromConnString(where);
      saver.setup(); // journal_mode=WAL
      if (sync) saver.db.pragma("synchronous=" + sync);
      settings = "journal_mode " + saver.db.pragma("journal_mode", { simple: true }) + ", synchronous " +
        ["OFF", "NORMAL", "FULL", "EXTRA"][saver.db.pragma("synchronous", { simple: true })];
    }
    savers.set(name, { saver, threads: new Map() });
    return { settings };
  },
  put: ({ saver, thread: name, path }) => put(savers.get(saver), name, read(path)),
  grow({ saver, thread: name, task, message }) {
    const s = savers.get(saver);
    const t = thread(s, name);
    t.state = { task, messages: [...(t.state?.messages ?? []), message] };
    return put(s, name, t.state);
  },
  async get({ saver, thread: name }) {
    const start = now();
    const tuple = await savers.get(saver).saver.getTuple(config(name));
    const ms = now() - start;
    const { task, messages } = tuple.checkpoint.channel_values;
    return { ms, sum: createHash("sha256").update(JSON.stringify({ task, messages })).digest("hex") };
  },
  // bytes is the row that getTuple reads, as it lies there; PostgresSaver has the
  // state in many rows.
  bytes({ saver, thread: name }) {
    const { withoutCheckpoint } = savers.get(saver).saver;
    if (!withoutCheckpoint) return {};
    const start = now();
    const row = withoutCheckpoint.get(name, "");
    const ms = now() - start;
    const { task, messages } = JSON.parse(row.checkpoint).channel_values;
    return { ms, sum: createHash("sha256").update(JSON.stringify({ task, messages })).digest("hex") };
  },
  async list({ saver, thread: name, limit }) {
    const start = now();
    let count = 0;
    for await (const _ of savers.get(saver).saver.list(config(name), { limit })) count++;
    return { ms: now() - start, count };
  },
  async close({ saver: name }) {
    const { saver } = savers.get(name);
    if (saver.db) saver.db.close();
    else await saver.end();
    savers.delete(name);
    return {};
  },
  async settings({ where }) {
    const rows = await query(where, "SELECT string_agg(name || ' ' || setting, ', ') AS all FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'server_version')");
    return { settings: rows[0].all };
  },
  async createdb({ where, name }) {
    await query(where, `CREATE DATABASE "${name}"`);
    return {};
  },
  async dropdb({ where, name }) {
    await query(where, `DROP DATABASE IF EXISTS "${name}"`);
    return {};
  },
  // dbsize is every table with its indexes and its large values; no log.
  async dbsize({ where }) {
    const rows = await query(where, `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`);
    return { bytes: Number(rows[0].bytes) };
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = await ops[request.op](request);
  } catch (e) {
    answer = { error: String(e?.stack ?? e) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0);
