package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/app/caller"
)

// sender is what a call tells of the agent that makes it.
func sender(req *mcp.CallToolRequest) caller.Sender {
	var from caller.Sender
	if info := req.ClientInfo(); info != nil {
		from.Client = info.Name
	}
	if req.Params != nil {
		from.IDs = conversations(req.Params.GetMeta())
	}
	return from
}

// idKeys are the names under which clients send the id of their conversation in
// _meta, without underscores and case. Codex sends session and thread, in an
// object of its own; a thread is a subagent's where the two differ.
var idKeys = []string{"sessionid", "conversationid", "threadid"}

// conversations are the ids of conversations in a call's _meta, at its top or one
// object deeper. Where several objects contradict each other, none is believed.
func conversations(meta map[string]any) (ids []string) {
	for _, key := range idKeys {
		for _, level := range [][]map[string]any{{meta}, inner(meta)} {
			if found := idsUnder(level, key); len(found) == 1 {
				ids = append(ids, found[0])
			}
		}
	}
	return ids
}

// idsUnder are the ids that objects have under a key, each once.
func idsUnder(objects []map[string]any, key string) (ids []string) {
	for _, object := range objects {
		for name, value := range object {
			id, _ := value.(string)
			named := strings.ToLower(strings.ReplaceAll(name, "_", "")) == key
			if named && id != "" && len(id) <= maxID && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// maxID bounds the id of a conversation, in bytes.
const maxID = 200

// inner are the objects in a _meta. One may be written as a string.
func inner(meta map[string]any) (list []map[string]any) {
	for name, value := range meta {
		var object map[string]any
		switch v := value.(type) {
		case map[string]any:
			object = v
		case string:
			if !strings.HasPrefix(v, "{") || json.Unmarshal([]byte(v), &object) != nil {
				continue
			}
		}
		if !strings.HasPrefix(name, "io.modelcontextprotocol/") {
			list = append(list, object)
		}
	}
	return list
}
