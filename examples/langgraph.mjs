// A graph of LangGraph whose threads are kept by Piton: node langgraph.mjs [ANSWER]
//
// The first call works until it needs a person. The second one, with the answer, goes on
// from there, in another process and also after a crash.
import { Annotation, Command, END, START, StateGraph, interrupt } from "@langchain/langgraph";
import { PitonSaver } from "piton-langgraph";

const State = Annotation.Root({
  notes: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

const checkpointer = new PitonSaver();
const graph = new StateGraph(State)
  .addNode("research", () => ({ notes: ["found three sources"] }))
  .addNode("review", () => ({ notes: ["a person says: " + interrupt("Are these enough?")] }))
  .addEdge(START, "research")
  .addEdge("research", "review")
  .addEdge("review", END)
  .compile({ checkpointer });

const thread = { configurable: { thread_id: "report-7" } };
const answer = process.argv[2];
const state = await graph.invoke(answer ? new Command({ resume: answer }) : { notes: [] }, thread);
for (const note of state.notes) console.log(note);
for (const { value } of state.__interrupt__ ?? []) console.log("waits for a person:", value);
await checkpointer.end();
