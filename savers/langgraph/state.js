// How a checkpoint of LangGraph and the writes of its tasks lie in a state of Piton: as
// the serializer's own JSON, all of it one document that people can read and compare. What
// is no JSON (an encrypting serializer's bytes), or JSON that not every reader accepts (half
// of a surrogate pair), lies there in base64.

const encoded = '{"langgraph_encoded":'; // begins every state of the second kind
const halfPair = /\\u[dD][89a-fA-F]/; // JSON.stringify escapes no other surrogates

/** The text of a state that holds a value. */
export async function stateOf(serde, value) {
  const [type, bytes] = await serde.dumpsTyped(value);
  const text = type === "json" ? Buffer.from(bytes).toString("utf8") : "";
  if (text.startsWith('{"') && !halfPair.test(text)) return text;
  return `${encoded}${JSON.stringify(type)},"base64":"${Buffer.from(bytes).toString("base64")}"}`;
}

/** The value that a state holds. */
export async function valueOf(serde, bytes) {
  if (!bytes.subarray(0, encoded.length).equals(Buffer.from(encoded))) return serde.loadsTyped("json", bytes);
  const { langgraph_encoded: type, base64 } = JSON.parse(bytes);
  return serde.loadsTyped(type, new Uint8Array(Buffer.from(base64, "base64")));
}

/**
 * The checkpoints of an export with their states, oldest first in each workflow: lines,
 * of which those of a checkpoint are its record and its state (docs/format.md).
 */
export function* entriesOf(bytes) {
  let record;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    if (end < 0) throw new Error("piton: an export was broken off");
    const line = bytes.subarray(from, end);
    from = end + 1;
    if (record) {
      yield { record, state: line };
      record = undefined;
      continue;
    }
    record = JSON.parse(line).checkpoint;
  }
}
