import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, readdirSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PitonSaver } from "../index.js";
import { newHome, serve } from "./daemon.js";

const made = [];
function open(options) {
  const saver = new PitonSaver({ project: mkdtempSync(join(tmpdir(), "langgraph-")), ...options });
  made.push(saver);
  return saver;
}
afterAll(() => Promise.all(made.map((s) => s.end())));

let step = 0;
const meta = (n, source = "loop") => ({ source, step: n, parents: {} });
const at = (thread_id, checkpoint_id, checkpoint_ns = "") => ({ configurable: { thread_id, checkpoint_ns, checkpoint_id } });
const checkpoint = (values, more) => ({ ...emptyCheckpoint(), id: uuid6(step++ % 16000), channel_values: values, channel_versions: Object.fromEntries(Object.keys(values).map((k) => [k, 1])), ...more });
const put = (saver, config, c, m = meta(0)) => saver.put(config, c, m, c.channel_versions);
async function all(list) {
  const got = [];
  for await (const x of list) got.push(x);
  return got;
}

const everyCharacter = Array.from({ length: 256 }, (_, i) => String.fromCodePoint(i)).join("");
const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a";
const ids = ["a", "A", " ", "a/b", "a#writes", "~a", "../../etc/passwd", "__proto__", "constructor", "wf_0123456789abcdef", "chk_0123456789abcdef",
  "null", "-", "0", "a b", "ä", "a\u0308", "🙂", "\ud83d", "\ud83e", "\u0000", "\n", everyCharacter, "x".repeat(100_000), token, "%00", "?a=b&c", "'; DROP TABLE checkpoints; --", 42];

test.each([["socket", undefined], ["HTTP", process.env.TEST_PITON_URL]])("any id is a thread of its own: %s", async (_, url) => {
  const saver = open({ url });
  for (const id of ids) {
    for (const ns of ["", "ns:" + String(id)]) {
      const kept = await put(saver, at(id, undefined, ns), checkpoint({ of: String(id), ns }), meta(0));
      await saver.putWrites(kept, [["of", id]], "task " + id, "path");
    }
  }
  const other = open({ url, project: saver.project });
  for (const id of ids) {
    const { checkpoint, pendingWrites, config } = await saver.getTuple(at(id));
    expect(checkpoint.channel_values).toEqual({ of: String(id), ns: "" });
    expect(pendingWrites).toEqual([["task " + id, "of", id]]);
    expect(config.configurable.thread_id).toBe(String(id));
    expect(await all(saver.list({ configurable: { thread_id: id } }))).toHaveLength(2);
  }
  expect(await all(saver.list({}))).toHaveLength(2 * ids.length);
  expect(await all(other.list({}))).toHaveLength(0); // another project
  await saver.deleteThread("a");
  expect(await saver.getTuple(at("a"))).toBeUndefined();
  expect(await all(saver.list({}))).toHaveLength(2 * ids.length - 2);
});

test("any checkpoint's id finds it", async () => {
  const saver = open();
  for (const id of ids.map(String)) await put(saver, at("t"), checkpoint({ id }, { id }));
  for (const id of ids.map(String)) expect((await saver.getTuple(at("t", id))).checkpoint.channel_values).toEqual({ id });
});

test("a state comes back exactly, with its secrets", async () => {
  const saver = open();
  const values = {
    token, pem: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", password: "hunter2 hunter2", text: everyCharacter + "🙂\u2028",
    half: "cut \ud83d", bytes: new Uint8Array([0, 255, 7]), map: new Map([["k", { deep: [1, 2.5e300, null] }]]), set: new Set([1]), when: /x/g, none: undefined,
    numbers: [0.1, 1e21, 9007199254740993, 5e-324], plan: [{ status: "pending" }], todos: [{ status: "pending" }], state: { currentStepIndex: 1 }, langgraph_encoded: "json",
  };
  for (const some of [values, { ...values, half: "whole" }]) {
    const c = checkpoint(some);
    const kept = await put(saver, at("exact"), c);
    await saver.putWrites(kept, Object.entries(some), "t");
    const { checkpoint: got, pendingWrites } = await saver.getTuple(at("exact"));
    expect(got).toEqual(c);
    expect(Object.fromEntries(pendingWrites.map(([, k, v]) => [k, v]))).toEqual(some);
  }
});

test("with redact the secrets are taken out", async () => {
  const saver = open({ redact: true });
  const kept = await put(saver, at("t"), checkpoint({ token, text: "plain" }));
  const { channel_values } = (await saver.getTuple(kept)).checkpoint;
  expect(channel_values.token).toMatch(/^\[REDACTED:/);
  expect(channel_values.text).toBe("plain");
});

test("a serializer of one's own keeps its bytes", async () => {
  const flip = (b) => Uint8Array.from(b, (x) => x ^ 255);
  const serde = {
    dumpsTyped: async (v) => ["flipped", flip(Buffer.from(JSON.stringify(v)))],
    loadsTyped: async (type, b) => (expect(type).toBe("flipped"), JSON.parse(Buffer.from(flip(b)))),
  };
  const saver = open({ serde });
  const kept = await put(saver, at("t"), checkpoint({ a: [1] }));
  await saver.putWrites(kept, [["a", 2]], "t");
  const got = await saver.getTuple(at("t"));
  expect([got.checkpoint.channel_values, got.pendingWrites]).toEqual([{ a: [1] }, [["t", "a", 2]]]);
});

test("10 MB are a state like any other", async () => {
  const saver = open();
  const c = checkpoint({ text: Array.from({ length: 10_000 }, (_, i) => `${i} ${"words ".repeat(170)}`) });
  const kept = await put(saver, at("large"), c);
  expect((await saver.getTuple(kept)).checkpoint).toEqual(c);
});

test("writes count once, by their task and place", async () => {
  const saver = open();
  const kept = await put(saver, at("t"), checkpoint({}));
  await Promise.all(["b", "a"].map((task) => saver.putWrites(kept, [["x", task], ["y", task]], task, "p")));
  await saver.putWrites(kept, [["x", "again"], ["y", "again"]], "a", "p"); // of a task that ran again: the first counts
  await saver.putWrites(kept, [["__resume__", 1]], "a", "p");
  await saver.putWrites(kept, [["__resume__", 2]], "a", "p"); // LangGraph replaces these
  await saver.putWrites(kept, [["z", 0]], "z", ""); // without a path: first
  expect((await saver.getTuple(kept)).pendingWrites).toEqual([["z", "z", 0], ["a", "__resume__", 2], ["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]]);
});

test("writes that come before their checkpoint is put are its own, however many come between", async () => {
  const project = mkdtempSync(join(tmpdir(), "langgraph-"));
  const one = open({ project });
  let last = await put(one, at("t"), checkpoint({ n: 0 }));
  await one.putWrites(last, [["n", 0]], "before");
  const c = checkpoint({ n: 1 });
  await one.putWrites(at("t", c.id), [["n", 1]], "early");
  for (let i = 0; i < 20; i++) await one.putWrites(last, [["n", i]], "other " + i);
  const early = await put(one, last, c);
  for (let i = 0; i < 20; i++) await one.putWrites(early, [["n", i]], "late " + i);
  last = await put(one, early, checkpoint({ n: 2 }));
  for (const saver of [one, open({ project })]) {
    expect((await saver.getTuple(early)).pendingWrites).toHaveLength(21);
    expect((await saver.getTuple(last)).pendingWrites).toEqual([]);
    expect((await all(saver.list(at("t"), { limit: 3 }))).map((t) => t.pendingWrites.length)).toEqual([0, 21, 21]);
    expect((await all(saver.list(at("t")))).map((t) => t.pendingWrites.length)).toEqual([0, 21, 21]);
  }
});

test("a put on an older checkpoint begins a branch, also for one who has not seen the line", async () => {
  const project = mkdtempSync(join(tmpdir(), "langgraph-"));
  const one = open({ project });
  const two = open({ project });
  let last = await put(one, at("t"), checkpoint({ n: 0 }), meta(-1, "input"));
  const older = last;
  for (let n = 1; n < 4; n++) last = await put(one, last, checkpoint({ n }), meta(n));
  const fork = await put(two, older, checkpoint({ n: "fork" }), meta(7, "update"));
  const onFork = await put(two, fork, checkpoint({ n: "on" }), meta(8));
  const onLine = await put(one, last, checkpoint({ n: 4 }), meta(4));
  expect((await one.getTuple(onFork)).parentConfig).toEqual(fork);
  expect((await two.getTuple(onLine)).parentConfig).toEqual(last);

  const records = await recordsOf(project);
  const named = Object.fromEntries(records.map((r) => [r.tags.find((t) => t.startsWith("checkpoint:")).slice(11), r]));
  const of = (config) => named[config.configurable.checkpoint_id];
  expect(of(fork).parent_id).toBe(of(older).id);
  expect(of(onFork).parent_id).toBe(of(fork).id);
  expect([of(onLine).branch, of(onFork).branch, of(fork).step_number]).toEqual(["main", of(fork).branch, 7]);
  expect(of(fork).branch).not.toBe("main");
  const before = await all(two.list(at("t"), { before: fork, limit: 2 }));
  expect(before.map((t) => t.checkpoint.channel_values.n)).toEqual([3, 2]);
  expect(await all(two.list(at("t"), { filter: { step: -1, source: "input" } }))).toHaveLength(1);
  expect(await all(two.list(at("t"), { filter: { parents: { "": "x" } } }))).toHaveLength(0);
});

test("a thread that somebody else deletes begins anew", async () => {
  const project = mkdtempSync(join(tmpdir(), "langgraph-"));
  const [one, two] = [open({ project }), open({ project })];
  const first = await put(one, at("t"), checkpoint({ n: 0 }));
  await one.putWrites(first, [["n", 0]], "task");
  await two.deleteThread("t");
  const next = await put(one, first, checkpoint({ n: 1 }));
  await one.putWrites(next, [["n", 1]], "task");
  const got = await all(two.list(at("t")));
  expect(got.map((t) => [t.checkpoint.channel_values.n, t.pendingWrites])).toEqual([[1, [["task", "n", 1]]]]);
});

test("a checkpoint that is put again counts as it was put last", async () => {
  const saver = open();
  const first = await put(saver, at("t"), checkpoint({ a: 0 }));
  const c = checkpoint({ a: 1 });
  await put(saver, first, c);
  await put(saver, first, c); // the same: nothing is added
  await put(saver, first, { ...c, channel_values: { a: 2 } });
  await put(saver, first, { ...c, channel_values: { a: 3 } });
  const got = await all(saver.list(at("t")));
  expect(got.map((t) => t.checkpoint.channel_values.a)).toEqual([3, 0]);
});

test("a thread that grows costs what is added", async () => {
  const home = newHome();
  const daemon = await serve(home);
  const saver = open({ socket: join(home, "piton.sock"), project: home });
  const messages = [];
  let last = at("t");
  for (let n = 0; n < 200; n++) {
    messages.push({ role: "assistant", content: Array.from({ length: 200 }, () => Math.random().toString(36).slice(2, 10)).join(" ") });
    last = await put(saver, last, checkpoint({ messages }), meta(n));
  }
  expect((await saver.getTuple(at("t"))).checkpoint.channel_values.messages).toEqual(messages);
  await daemon.kill("SIGTERM");
  const bytes = readdirSync(home).filter((f) => f.startsWith("piton.db")).reduce((sum, f) => sum + statSync(join(home, f)).size, 0);
  expect(bytes).toBeLessThan(5e6); // 36 MB of states
  rmSync(home, { recursive: true });
});

test("what was acknowledged is there after the daemon was killed, and once", async () => {
  const home = newHome();
  const program = process.env.TEST_PITON;
  let daemon = await serve(home);
  const saver = open({ socket: join(home, "piton.sock"), project: home, patience: 20_000 });
  const kept = [];
  let last = at("t");
  let going = true;
  const puts = (async () => {
    for (let n = 0; going || n < 60; n++) {
      last = await put(saver, last, checkpoint({ n }), meta(n));
      kept.push(last.configurable.checkpoint_id);
      await saver.putWrites(last, [["n", n]], "task");
    }
  })();
  for (let kill = 0; kill < 4; kill++) {
    await new Promise((go) => setTimeout(go, 150));
    await daemon.kill("SIGKILL");
    daemon = await serve(home);
  }
  going = false;
  await puts;
  const got = await all(saver.list(at("t")));
  expect(got.map((t) => t.config.configurable.checkpoint_id)).toEqual(kept.toReversed());
  for (const t of got) expect(t.pendingWrites).toEqual([["task", "n", t.checkpoint.channel_values.n]]);
  const { checkpoints } = JSON.parse(execFileSync(program, ["list", "--json", "--limit", "0", "--tag", "langgraph"], { cwd: home, env: { ...process.env, PITON_HOME: home, HOME: home } }));
  expect(checkpoints).toHaveLength(kept.length); // none of them twice
  await daemon.kill("SIGTERM");
  rmSync(home, { recursive: true });
});

test("an answer that is lost does not make a put twice", async () => {
  const project = mkdtempSync(join(tmpdir(), "langgraph-"));
  let lose = 0;
  const line = net.createServer((from) => {
    const to = net.connect(join(process.env.PITON_HOME, "piton.sock"));
    from.pipe(to);
    to.on("data", (bytes) => (lose > 0 && lose-- ? from.destroy() : from.write(bytes)));
    for (const end of [from, to]) end.on("error", () => {}).on("close", () => (from.destroy(), to.destroy()));
  });
  const socket = join(mkdtempSync(join(tmpdir(), "l-")), "s");
  await new Promise((go) => line.listen(socket, go));
  const saver = open({ socket, project });
  let last = at("t");
  for (let n = 0; n < 10; n++) {
    const older = n % 3 === 2 ? at("t", (await all(saver.list(at("t")))).at(-1).config.configurable.checkpoint_id) : last;
    lose = 1;
    last = await put(saver, older, checkpoint({ n }), meta(n));
    lose = 1;
    await saver.putWrites(last, [["n", n]], "task");
    lose = 1;
    expect((await saver.getTuple(last)).pendingWrites).toEqual([["task", "n", n]]);
  }
  expect(await recordsOf(project)).toHaveLength(10);
  line.close();
});

test("one request for a put, one for the writes of a task", async () => {
  const saver = open();
  let last = await put(saver, at("t"), checkpoint({ n: 0 }));
  const http = (await import("node:http")).default;
  const ask = http.request;
  let asked = 0;
  http.request = (...args) => (asked++, ask(...args));
  try {
    last = await put(saver, last, checkpoint({ n: 1 }));
    expect(asked).toBe(1);
    await saver.putWrites(last, [["n", 1]], "task");
    expect(asked).toBe(2);
  } finally {
    http.request = ask;
  }
});

test("a daemon that is not there is said, with the way out", async () => {
  const saver = open({ socket: "/nowhere/piton.sock", patience: 50 });
  await expect(saver.getTuple(at("t"))).rejects.toThrow(/no answer at \/nowhere\/piton.sock.*'piton serve' starts the daemon/);
  expect(() => open({ url: "https://example.com" })).toThrow(/loopback/);
  await expect(open({ project: "/nowhere/at/all" }).getTuple(at("t"))).rejects.toThrow(/is not a folder/);
});

test("a person's fork is where the thread goes on, and a foreign state is never answered", async () => {
  const project = mkdtempSync(join(tmpdir(), "langgraph-"));
  const saver = open({ project });
  const env = { ...process.env, HOME: process.env.PITON_HOME };
  const piton = (...args) => execFileSync(process.env.TEST_PITON, args, { cwd: project, env, encoding: "utf8" });
  const first = await put(saver, at("t"), checkpoint({ n: 0, token }));
  await put(saver, first, checkpoint({ n: 1 }));
  const older = (await recordsOf(project)).at(-1);
  piton("fork", older.id, "--verbatim", "--json");
  const tuple = await saver.getTuple(at("t"));
  expect(tuple.checkpoint.channel_values).toEqual({ n: 0, token });
  expect((await saver.getTuple(await put(saver, tuple.config, checkpoint({ n: 2 })))).checkpoint.channel_values.n).toBe(2);
  piton("save", "--workflow", "t", "--name", "mine", "--json");
  execFileSync(process.env.TEST_PITON, ["save", "--workflow", "t", "--state", "-"], { cwd: project, env, input: '{"a":1}' });
  await expect(saver.getTuple(at("t"))).rejects.toThrow(/none of LangGraph's/);
});

async function recordsOf(project) {
  const out = execFileSync(process.env.TEST_PITON, ["list", "--json", "--limit", "0", "--project", project, "--tag", "langgraph"], { env: { ...process.env, HOME: process.env.PITON_HOME } });
  return JSON.parse(out).checkpoints;
}
