#!/usr/bin/env node
// Makes session.jsonl from a recording: cut.mjs OUT PROJECT >session.jsonl
// Steps stand in the order in which they happened; paths, ids, times and what Piton answered become placeholders.
import fs from 'node:fs';
import os from 'node:os';
const [out, project] = process.argv.slice(2);
const read = f => fs.readFileSync(f, 'utf8');
const calls = read(out + '/calls.jsonl').trim().split('\n').map(JSON.parse);
const { session_id: session, transcript_path: transcript } = calls[0].payload;
const start = calls[0].t;

// Of the transcript only what was said, done and answered stays: no system prompts, tool schemas, requests.
const told = new Set(['hook_success', 'hook_additional_context', 'hook_system_message']);
const keeps = l => ['user', 'assistant', 'queue-operation', 'system'].includes(l.type) || l.type === 'attachment' && told.has(l.attachment.type);

let at = 0;
const lines = read(transcript).split('\n').filter(Boolean).map(text => {
  const offset = at; at += Buffer.byteLength(text) + 1;
  return { offset, line: JSON.parse(text) };
}).filter(x => keeps(x.line));

const steps = [];
const ms = t => Math.round(t - start);
const flush = size => {
  while (lines.length && lines[0].offset < size) {
    const { line } = lines.shift();
    steps.push({ at_ms: ms(Date.parse(line.timestamp)), line });
  }
};
const hide = [];   // [text, placeholder], of recorded texts that Piton or the machine makes anew
for (const c of calls) {
  flush(c.size);
  const { tool_name: tool, tool_input: input, tool_response: told } = c.payload;
  if (tool === 'Edit') steps.push({ at_ms: ms(c.written), edit: { path: input.file_path.slice(project.length + 1), old: input.old_string, new: input.new_string } });
  if (tool === 'Bash') { steps.push({ at_ms: ms(c.t - 1), run: input.command }); hide.push([told.stdout, '${OUTPUT}']); }
  steps.push({ at_ms: ms(c.t), hook: c.payload });
  if (c.reply) {
    const r = JSON.parse(c.reply);
    hide.push([c.reply, '${REPLY}']);
    if (r.hookSpecificOutput) hide.push([r.hookSpecificOutput.additionalContext, '${DEBRIEF}']);
    if (r.systemMessage) hide.push([r.systemMessage, '${NOTICE}']);
  }
}
flush(Infinity);
hide.push([transcript, '${TRANSCRIPT}'], [project, '${PROJECT}'], [session, '${SESSION}'], ["'" + process.env.RECORDER + "'", '${HOOK}']);

const ids = new Map();
const id = u => ids.get(u) ?? ids.set(u, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`).get(u);
const hidden = x => typeof x === 'string' ? hide.reduce((s, [text, name]) => s.replaceAll(text, name), x)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '${TIME}').replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, id)
  : Array.isArray(x) ? x.map(hidden)
  : x && typeof x === 'object' ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, hidden(v)])) : x;
const text = steps.map(s => JSON.stringify(hidden(s)) + '\n').join('');
const leak = text.match(new RegExp(`sk-ant|api.key|${os.hostname()}|/tmp|/root|/home|${os.release()}`, 'i'));
if (leak) { console.error('something of this machine is left:', text.slice(leak.index - 200, leak.index + 50)); process.exit(1); }
process.stdout.write(text);
