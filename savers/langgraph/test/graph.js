// A small graph, as a program has it: it appends its steps' names, asks a person before
// the last one, and can be killed in the middle of a step.
import { Annotation, END, START, StateGraph, interrupt } from "@langchain/langgraph";
import { appendFileSync } from "node:fs";
import { PitonSaver } from "../index.js";

const State = Annotation.Root({
  done: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  answer: Annotation({ reducer: (_, b) => b, default: () => "" }),
});

export function graph(saver, { log, killAt } = {}) {
  const step = (name) => async () => {
    if (log) appendFileSync(log, name + "\n");
    if (name === killAt) {
      await new Promise((go) => setTimeout(go, 300)); // its neighbour is done meanwhile
      process.kill(process.pid, "SIGKILL");
    }
    return { done: [name] };
  };
  return new StateGraph(State)
    .addNode("first", step("first"))
    .addNode("left", step("left"))
    .addNode("right", step("right"))
    .addNode("ask", () => ({ answer: interrupt("ship it?"), done: ["ask"] }))
    .addNode("last", step("last"))
    .addEdge(START, "first")
    .addEdge("first", "left")
    .addEdge("first", "right")
    .addEdge(["left", "right"], "ask")
    .addEdge("ask", "last")
    .addEdge("last", END)
    .compile({ checkpointer: saver });
}

// node graph.js THREAD LOG KILL_AT: runs it, and dies there.
if (process.argv[1] === import.meta.filename) {
  const [thread, log, killAt] = process.argv.slice(2);
  await graph(new PitonSaver(), { log, killAt }).invoke({ done: [] }, { configurable: { thread_id: thread } });
}
