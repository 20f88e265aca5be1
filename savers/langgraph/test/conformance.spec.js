// LangGraph's own suite for checkpointers, against the daemon that the environment names
// (e2e/langgraph). What one saver has written the next must not see: each has a project
// of its own.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deltaChannelHistoryTests, specTest } from "@langchain/langgraph-checkpoint-validation";
import { PitonSaver } from "../index.js";

const url = process.env.PITON_URL;
const suite = {
  checkpointerName: `PitonSaver (${url ?? "socket"})`,
  createCheckpointer: () => new PitonSaver({ url, project: mkdtempSync(join(tmpdir(), "langgraph-")) }),
  destroyCheckpointer: (saver) => saver.end(),
};
specTest(suite);
deltaChannelHistoryTests(suite);
