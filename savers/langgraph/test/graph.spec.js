import { Command } from "@langchain/langgraph";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PitonSaver } from "../index.js";
import { graph } from "./graph.js";

const saver = new PitonSaver();
afterAll(() => saver.end());
const at = (thread_id) => ({ configurable: { thread_id } });

async function historyOf(g, config) {
  const all = [];
  for await (const x of g.getStateHistory(config)) all.push(x);
  return all;
}

test("a graph whose process is killed goes on, and does no step twice whose end was saved", async () => {
  const log = join(mkdtempSync(join(tmpdir(), "log-")), "steps");
  const died = spawnSync(process.execPath, [join(import.meta.dirname, "graph.js"), "killed", log, "right"]);
  expect(died.signal).toBe("SIGKILL");
  const g = graph(saver, { log });
  expect((await g.getState(at("killed"))).values.done).toEqual(["first", "left"]); // its writes wait

  const end = await g.invoke(null, at("killed"));
  expect(end.done).toEqual(["first", "left", "right"]);
  expect(readFileSync(log, "utf8").trim().split("\n").sort()).toEqual(["first", "left", "right", "right"]);
});

test("a graph waits for a person, and goes on with the answer in another process", async () => {
  const first = await graph(saver).invoke({ done: [] }, at("asks"));
  expect(first.__interrupt__[0].value).toBe("ship it?");

  const other = new PitonSaver(); // knows nothing of the one before
  const end = await graph(other).invoke(new Command({ resume: "yes" }), at("asks"));
  expect([end.answer, end.done]).toEqual(["yes", ["first", "left", "right", "ask", "last"]]);
  expect((await graph(other).getState(at("asks"))).next).toEqual([]);
  await other.end();
});

test("a fork goes on from an older checkpoint, and the line it left stays", async () => {
  const g = graph(saver);
  await g.invoke({ done: [] }, at("forks"));
  await g.invoke(new Command({ resume: "yes" }), at("forks"));
  const before = await historyOf(g, at("forks"));
  const older = before.find((x) => x.next.includes("last"));

  const changed = await g.updateState(older.config, { answer: "no" });
  const end = await g.invoke(null, changed);
  expect([end.answer, end.done.at(-1)]).toEqual(["no", "last"]);
  expect((await g.getState(at("forks"))).values.answer).toBe("no");
  expect((await g.getState(before[0].config)).values.answer).toBe("yes");
  // What was there is there, as it was, behind what is new.
  const after = await historyOf(g, at("forks"));
  expect(after.slice(-before.length).map((x) => x.config)).toEqual(before.map((x) => x.config));
  expect(after[0].parentConfig.configurable.checkpoint_id).toBe(after[1].config.configurable.checkpoint_id);
});

test("a subgraph has checkpoints of its own, which go with the thread", async () => {
  const { StateGraph, Annotation, START, END, interrupt } = await import("@langchain/langgraph");
  const S = Annotation.Root({ x: Annotation({ reducer: (_, b) => b, default: () => 0 }) });
  const inner = new StateGraph(S).addNode("in", () => ({ x: interrupt("x?") })).addEdge(START, "in").addEdge("in", END).compile();
  const g = new StateGraph(S).addNode("sub", inner).addEdge(START, "sub").addEdge("sub", END).compile({ checkpointer: saver });
  await g.invoke({ x: 1 }, at("nested"));
  const namespaces = new Set();
  for await (const t of saver.list(at("nested"))) namespaces.add(t.config.configurable.checkpoint_ns.split(":")[0]);
  expect([...namespaces].sort()).toEqual(["", "sub"]);
  expect((await g.invoke(new Command({ resume: 7 }), at("nested"))).x).toBe(7);

  await saver.deleteThread("nested");
  for await (const t of saver.list(at("nested"))) expect(t).toBeUndefined();
  expect(await saver.getTuple(at("nested"))).toBeUndefined();
});
