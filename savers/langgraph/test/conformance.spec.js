// LangGraph's own suite for checkpointers, on the socket and over HTTP.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deltaChannelHistoryTests, specTest } from "@langchain/langgraph-checkpoint-validation";
import { PitonSaver } from "../index.js";

for (const [way, url] of Object.entries({ socket: undefined, HTTP: process.env.TEST_PITON_URL })) {
  const suite = {
    checkpointerName: `PitonSaver, ${way}`,
    // What one saver has written the next must not see: each has a project of its own.
    createCheckpointer: () => new PitonSaver({ url, project: mkdtempSync(join(tmpdir(), "langgraph-")) }),
    destroyCheckpointer: (saver) => saver.end(),
  };
  specTest(suite);
  deltaChannelHistoryTests(suite);
}
