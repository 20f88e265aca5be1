#!/usr/bin/env node
// Starts piton of the package for this system, and ends as it does.
"use strict";
const { spawn } = require("child_process");
const name = `@piton/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/piton`);
} catch {
  console.error(`piton: the package ${name} is not installed\nhint: Piton has packages for Linux and macOS on x64 and arm64; install 'piton' again without --omit=optional`);
  process.exit(6);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
const pass = {
  SIGINT: () => {}, // Ctrl-C reaches both
  SIGTERM: () => child.kill("SIGTERM"),
  SIGHUP: () => child.kill("SIGHUP"),
};
for (const signal in pass) process.on(signal, pass[signal]);
child.on("error", (err) => {
  console.error(`piton: ${err.message}`);
  process.exit(6);
});
child.on("exit", (status, signal) => {
  if (!signal) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
