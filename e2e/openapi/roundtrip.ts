// A program with a client of Piton's API: the types are generated from the document of
// a server, and this is compiled against them. It saves, lists, loads, inspects and
// completes, and ends with status 1 where an answer is not what it must be.
import createClient from "openapi-fetch";
import type { paths } from "./piton.js";

const [url, token, project] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

function must<T>(what: string, x: { data?: T; error?: { code: string; message: string } }): T {
  if (x.data === undefined) throw new Error(`${what}: ${x.error?.code}: ${x.error?.message}`);
  return x.data;
}

function same(what: string, got: unknown, want: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

const state = { step: "parse", rows: [1, 2.5], done: false };
const saved = must("save", await client.POST("/v1/checkpoints", { body: { project, workflow: "generated", name: "first", tags: ["ts"], state } }));
same("where the state came from", saved.state_from, "caller");

const listed = must("list", await client.GET("/v1/checkpoints", { params: { query: { workflow: "generated", project, limit: 5 } } }));
same("the list", listed.checkpoints.map((c) => c.id), [saved.id]);

const found = must("search", await client.GET("/v1/search", { params: { query: { words: "first", project } } }));
same("what was found", found.checkpoints.map((c) => c.id), [saved.id]);

const loaded = must("load", await client.GET("/v1/checkpoints/{id}/state", { params: { path: { id: saved.id } } }));
same("the state", loaded, state);

const inspected = must("inspect", await client.GET("/v1/checkpoints/{id}", { params: { path: { id: saved.id }, query: { state: true } } }));
same("the inspected state", inspected.state, state);
same("its sum", inspected.checkpoint.sha256, saved.sha256);

const resumed = must("resume", await client.POST("/v1/resume", { body: { project, workflow: "generated" } }));
same("what is resumed", resumed.checkpoint.id, saved.id);

const next = must("save the next", await client.POST("/v1/checkpoints", { body: { project, workflow: "generated", parent: saved.id, state: {} } }));
same("its parent", next.parent_id, saved.id);
const stale = await client.POST("/v1/checkpoints", { body: { project, workflow: "generated", parent: saved.id, state: {} } });
same("a parent that has moved", [stale.response.status, stale.error?.code], [409, "conflict"]);

const completed = must("complete", await client.POST("/v1/checkpoints/{id}/complete", { params: { path: { id: saved.id } } }));
same("the end", completed.completed, true);

const unknown = await client.GET("/v1/checkpoints/{id}", { params: { path: { id: "chk_0000000000000000" } } });
same("an unknown id", [unknown.response.status, unknown.error?.code], [404, "not_found"]);
console.log("round trip", saved.id);
