#!/usr/bin/env node
// Stands in for piton-hook while the session is recorded: runs the real one (PITON_HOOK) and writes down when it was
// called, what came in, how long the transcript was, when the edited file was written, and what was answered.
import fs from 'node:fs';
import { spawnSync } from 'node:child_process';
const t = Date.now(), raw = fs.readFileSync(0, 'utf8'), payload = JSON.parse(raw);
const stat = p => { try { return fs.statSync(p); } catch { return { size: 0 }; } };
const size = stat(payload.transcript_path).size, written = stat(payload.tool_input?.file_path).mtimeMs;
const r = spawnSync(process.env.PITON_HOOK, process.argv.slice(2), { input: raw });
fs.appendFileSync(process.env.RIG_OUT + '/calls.jsonl', JSON.stringify({ t, size, written, payload, reply: r.stdout.toString() }) + '\n');
process.stdout.write(r.stdout);
