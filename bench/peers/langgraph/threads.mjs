// Threads of LangGraph in Piton's saver (savers/langgraph) beside SqliteSaver and
// PostgresSaver: the same call of each in turn, timed by the program that calls.
//
//	TEST_PITON=bin/piton node bench/peers/langgraph/threads.mjs [puts] [steps]
//
// Without PGURL the lines of PostgresSaver are left out.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import pg from "pg";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { PitonSaver } from "../../../savers/langgraph/index.js";
import { newHome, serve } from "../../../savers/langgraph/test/daemon.js";

const [puts = 100, steps = 1000] = process.argv.slice(2).map(Number);
const now = () => Number(process.hrtime.bigint()) / 1e6;

// Words that compress as text does, the same in each run. A product of doubles would lose
// its low bits, and the words come again after 68 KB.
let seed = 12345;
const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
const words = Array.from({ length: 4000 }, () => Array.from({ length: 2 + Math.floor(random() * 8) }, () => "etaoinshrdlucmfwypvbgkjqxz"[Math.floor(random() * random() * 26)]).join(""));
function text(bytes) {
  let s = "";
  while (s.length < bytes) s += words[Math.floor(random() * words.length)] + " ";
  return s.slice(0, bytes);
}
const message = (bytes) => ({ role: "assistant", id: Math.floor(random() * 1e9).toString(36), content: text(bytes - 60) });
const state = (bytes) => Array.from({ length: Math.ceil(bytes / 2048) }, () => message(Math.min(bytes, 2048)));

const config = (thread_id, checkpoint_id) => ({ configurable: { thread_id, checkpoint_ns: "", checkpoint_id } });
const size = (dir, name) => readdirSync(dir).filter((f) => f.startsWith(name)).reduce((sum, f) => sum + statSync(join(dir, f)).size, 0);

const dir = mkdtempSync(join(os.tmpdir(), "threads-"));
const savers = {};
const ends = [];
const onDisk = {};

function sqlite(name, sync) {
  const file = name.replace(/\W/g, "_") + ".db";
  // Closed and opened again, as a restarted program has it.
  const made = SqliteSaver.fromConnString(join(dir, file));
  made.setup();
  made.db.close();
  const saver = SqliteSaver.fromConnString(join(dir, file));
  saver.setup();
  if (sync) saver.db.pragma("synchronous=" + sync);
  savers[name] = saver;
  onDisk[name] = () => {
    saver.db.pragma("wal_checkpoint(TRUNCATE)");
    return size(dir, file);
  };
  ends.push(() => saver.db.close());
}

async function postgres(name, url) {
  const client = new pg.Client(url);
  await client.connect();
  const saver = PostgresSaver.fromConnString(url, { schema: "threads" });
  await client.query("DROP SCHEMA IF EXISTS threads CASCADE");
  await saver.setup();
  savers[name] = saver;
  onDisk[name] = async () => Number((await client.query(`SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = 'threads'`)).rows[0].bytes);
  ends.push(async () => {
    await saver.end();
    await client.query("DROP SCHEMA threads CASCADE");
    await client.end();
  });
}

async function piton(name) {
  const home = newHome();
  const daemon = await serve(home);
  const saver = new PitonSaver({ socket: join(home, "piton.sock"), project: home });
  savers[name] = saver;
  onDisk[name] = () => size(home, "piton.db");
  ends.push(async () => {
    await saver.end();
    await daemon.kill("SIGTERM");
    rmSync(home, { recursive: true });
  });
}

const parents = new Map();
async function put(name, thread, messages, version) {
  const key = name + thread;
  const checkpoint = { v: 4, id: uuid6(version % 16000), ts: new Date().toISOString(), channel_values: { messages }, channel_versions: { messages: version }, versions_seen: { __input__: {}, agent: { messages: version - 1 } } };
  const start = now();
  const kept = await savers[name].put(config(thread, parents.get(key)), checkpoint, { source: "loop", step: version, parents: {} }, { messages: version });
  const took = now() - start;
  parents.set(key, kept.configurable.checkpoint_id);
  return took;
}
const writes = (name, thread, value) => savers[name].putWrites(config(thread, parents.get(name + thread)), [["messages", value], ["branch:to:agent", null]], "task-1", "agent");

async function timed(f) {
  const start = now();
  await f();
  return now() - start;
}

/** Each saver in turn, n times; the first two times do not count. */
async function each(what, n, call) {
  const took = Object.fromEntries(Object.keys(savers).map((name) => [name, []]));
  for (let i = 0; i < n + 2; i++) {
    const x = call.prepare?.(i);
    for (const name in savers) {
      const ms = await call(name, i, x);
      if (i >= 2) took[name].push(ms);
    }
  }
  report(what, took);
}

function report(what, took) {
  for (const [name, all] of Object.entries(took)) {
    const sorted = [...all].sort((a, b) => a - b);
    const of = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))].toFixed(2);
    console.log(`${what.padEnd(44)} ${name.padEnd(20)} p10 ${of(0.1).padStart(9)} ms   p50 ${of(0.5).padStart(9)} ms   p90 ${of(0.9).padStart(9)} ms   n ${sorted.length}`);
  }
}

sqlite("SqliteSaver");
sqlite("SqliteSaver, FULL", "FULL");
if (process.env.PGURL) await postgres("PostgresSaver", process.env.PGURL);
else console.error("threads: PGURL is not set; the lines of PostgresSaver are left out");
await piton("PitonSaver");
console.log(`node ${process.version}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}; each saver in turn`);

try {
  for (const [label, bytes, n] of [["1 KB", 1024, puts], ["100 KB", 102400, Math.ceil(puts / 2)], ["1 MB", 1 << 20, Math.ceil(puts / 4)]]) {
    const call = (name, i, messages) => put(name, "new " + label, messages, i + 1);
    call.prepare = () => state(bytes);
    await each(`put, ${label}, wholly new`, n, call);
  }
  const few = async (name, i, messages) => {
    const took = await put(name, "read", messages, i + 1);
    await writes(name, "read", messages[0]);
    return took;
  };
  few.prepare = () => state(1024);
  await each("put, 1 KB, 1,000 of a thread", steps, few);
  await each("putWrites, 1 KB", puts, (name, i) => timed(() => savers[name].putWrites(config("writes", "c" + i), [["messages", message(1024)]], "task-1", "agent")));
  await each("getTuple, newest of 1,000", puts, (name) => timed(() => savers[name].getTuple(config("read"))));
  const list = (options, want) => (name) => timed(async () => {
    let count = 0;
    for await (const _ of savers[name].list(config("read"), { limit: 10, ...options })) count++;
    if (count !== want) throw new Error(`${name} lists ${count}`);
  });
  await each("list, 10 newest of 1,000", puts, list({}, 10));
  await each("list, by step, of 1,000", puts, list({ filter: { step: 3 } }, 1));

  const before = {};
  for (const name in savers) before[name] = await onDisk[name]();
  const messages = [];
  const took = Object.fromEntries(Object.keys(savers).map((name) => [name, []]));
  for (let i = 0; i < steps; i++) {
    messages.push(message(2048));
    for (const name in savers) took[name].push(await put(name, "grows", messages, i + 1));
  }
  report(`growth, ${steps} × 2 KB: the last tenth of the puts`, Object.fromEntries(Object.entries(took).map(([name, all]) => [name, all.slice(-Math.ceil(steps / 10))])));
  for (const name in savers) console.log(`${`growth, ${steps} × 2 KB: on disk`.padEnd(44)} ${name.padEnd(20)} ${(((await onDisk[name]()) - before[name]) / 1e6).toFixed(1)} MB`);
  const few10 = Math.ceil(puts / 5);
  await each("growth: getTuple, newest", few10, (name) => timed(() => savers[name].getTuple(config("grows"))));
  await each("growth: list, 10 newest", Math.min(few10, 10), (name) => timed(async () => {
    for await (const _ of savers[name].list(config("grows"), { limit: 10 }));
  }));
} finally {
  for (const end of ends) await end();
  rmSync(dir, { recursive: true });
}
process.exit(0);
