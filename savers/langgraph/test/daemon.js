// A daemon of the program that TEST_PITON names, in a home of its own.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const newHome = () => mkdtempSync(join(tmpdir(), "piton-lg-")); // the path of a socket is short

const pause = (ms) => new Promise((go) => setTimeout(go, ms));

export async function serve(home) {
  const program = process.env.TEST_PITON;
  if (!program) throw new Error("TEST_PITON names no program: e2e/langgraph builds one");
  const env = { PATH: process.env.PATH, HOME: home, PITON_HOME: home };
  const child = spawn(program, ["serve", "--listen", "127.0.0.1:0"], { cwd: home, env, stdio: "ignore" });
  const ended = new Promise((go) => child.once("exit", go));
  const kill = async (signal) => {
    child.kill(signal);
    await ended;
  };
  for (let left = 500; left > 0; left--, await pause(20)) {
    try {
      const lock = JSON.parse(readFileSync(join(home, "daemon.lock"), "utf8"));
      if (lock.listen && lock.pid === child.pid) return { url: "http://" + lock.listen, kill };
    } catch {
      // not yet
    }
  }
  await kill("SIGKILL");
  throw new Error("the daemon does not begin to serve");
}

/** vitest's: one daemon for all files, which find it in their environment. */
export async function setup() {
  const home = newHome();
  const daemon = await serve(home);
  process.env.PITON_HOME = home;
  process.env.TEST_PITON_URL = daemon.url;
  return async () => {
    await daemon.kill("SIGTERM");
    rmSync(home, { recursive: true, force: true });
  };
}
