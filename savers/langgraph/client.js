import { readFileSync } from "node:fs";
import http from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of Piton's own files, as its programs find it. */
export function pitonHome(env = process.env) {
  return env.PITON_HOME || join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "piton");
}

/** A refusal of Piton: a problem (RFC 9457) with its code and its hint. */
export class PitonError extends Error {
  constructor(status, problem) {
    super(`piton: ${problem.detail ?? problem.title ?? "status " + status}${problem.hint ? " (" + problem.hint + ")" : ""}`);
    this.name = "PitonError";
    this.status = status;
    this.code = problem.code ?? "internal";
  }
}

/** No answer came: the request may have been done, or not. */
export class NoAnswer extends Error {
  constructor(where, cause) {
    super(`piton: no answer at ${where}: ${cause.message}. 'piton serve' starts the daemon, 'piton doctor' looks at it`, { cause });
    this.name = "NoAnswer";
  }
}

const firstWait = 20; // milliseconds; each further one is twice as long
const stalled = 120_000; // milliseconds without a byte, after which no answer comes any more
const connections = 8; // as many requests as the daemon works on at once

/** Sends requests to Piton's daemon, on its socket or on the loopback. */
export class Client {
  #agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  #to;
  #where;
  #patience;

  constructor({ url, socket, token, patience = 5000 }) {
    this.#patience = patience;
    if (!url) {
      this.#where = socket ?? join(pitonHome(), "piton.sock");
      this.#to = { socketPath: this.#where };
      return;
    }
    const at = new URL(url);
    if (at.protocol !== "http:") throw new Error(`piton: ${url}: Piton serves http:// on the loopback`);
    this.#where = at.origin;
    const show = token ?? readFileSync(join(pitonHome(), "token"), "utf8").trim();
    this.#to = { host: at.hostname.replace(/^\[|\]$/g, ""), port: at.port || 80, headers: { authorization: `Bearer ${show}` } };
  }

  /**
   * Asks again while nobody answers, until patience ends: for what may be done twice.
   * made, where it is given, is asked before each further try whether the one before it
   * was done; what it finds is the answer.
   */
  async ask(method, path, { query, body } = {}, made) {
    const until = Date.now() + this.#patience;
    for (let wait = firstWait; ; wait *= 2) {
      try {
        return await this.#once(method, path, query, body);
      } catch (e) {
        const passes = e instanceof NoAnswer || e.status === 503;
        if (!passes || Date.now() + wait > until) throw e;
      }
      await new Promise((go) => setTimeout(go, wait));
      const found = await made?.();
      if (found) return { json: () => found };
    }
  }

  /** What is asked for; undefined where Piton has no such thing. */
  async find(method, path, options) {
    try {
      return await this.ask(method, path, options);
    } catch (e) {
      if (e.code === "not_found") return undefined;
      throw e;
    }
  }

  close() {
    this.#agent.destroy();
  }

  #once(method, path, query, body) {
    const asked = Object.entries(query ?? {}).filter(([, v]) => v !== undefined);
    const search = asked.length ? "?" + new URLSearchParams(asked) : "";
    const headers = { ...this.#to.headers };
    if (body !== undefined) {
      body = Buffer.from(body);
      headers["content-type"] = "application/json";
      headers["content-length"] = body.length;
    }
    return new Promise((answer, fail) => {
      const lost = (cause) => fail(new NoAnswer(this.#where, cause));
      const request = http.request({ ...this.#to, agent: this.#agent, method, path: path + search, headers }, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", lost);
        response.on("end", () => {
          const bytes = Buffer.concat(parts);
          if (response.statusCode < 300) return answer({ bytes, left: response.trailers["piton-left-out"], json: () => JSON.parse(bytes) });
          fail(new PitonError(response.statusCode, problemIn(bytes)));
        });
      });
      request.setTimeout(stalled, () => request.destroy(new Error("nothing came for 2 minutes")));
      request.on("error", lost);
      request.end(body);
    });
  }
}

function problemIn(bytes) {
  try {
    return JSON.parse(bytes);
  } catch {
    return { detail: bytes.toString("utf8", 0, 200) };
  }
}
