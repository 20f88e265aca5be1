package history

import (
	"slices"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// field is a text of a record, and its path in an exported checkpoint, as a
// JSON pointer.
type field struct {
	path string
	text *string
	// known: the text is a name by which things are found; it loses only what is
	// a secret by itself.
	known bool
}

// takeOut takes secrets out of texts and returns the path of each.
func takeOut(rules *redact.Rules, fields ...field) (paths []string) {
	for _, f := range fields {
		clean, n := rules.Text, 0
		if f.known {
			clean = redact.Known
		}
		*f.text, n = clean(*f.text)
		for range n {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// each is a field for every text of a list of the caller's, which stays as it
// is: list is another from now on.
func each(path string, list *[]string) []field {
	*list = slices.Clone(*list)
	fields := make([]field, len(*list))
	for i := range *list {
		fields[i] = field{path: path + "/" + strconv.Itoa(i), text: &(*list)[i]}
	}
	return fields
}

// recordFields are the texts of a record that people and agents write.
func recordFields(c *piton.Checkpoint) []field {
	return append(append(each("/tags", &c.Tags), field{"/step_name", &c.StepName, false}, field{"/session_name", &c.SessionName, false}, field{"/name", &c.Name, false},
		field{"/description", &c.Description, false}, field{"/task_summary", &c.TaskSummary, false}), originFields(&c.Origin)...)
}

func originFields(o *piton.Origin) []field {
	return []field{{"/origin/agent", &o.Agent, false}, {"/origin/client_version", &o.ClientVersion, false}, {"/origin/host", &o.Host, false}, {"/origin/git_head", &o.GitHead, false},
		{"/origin/git_branch", &o.GitBranch, true}}
}

// cleanState takes secrets out of a state and returns the path of each.
func cleanState(rules *redact.Rules, state []byte) (clean redact.Document, paths []string, err error) {
	if clean, paths, err = rules.Find(state); err != nil {
		return clean, nil, err
	}
	for i := range paths {
		paths[i] = "/state" + paths[i]
	}
	return clean, paths, nil
}

// cleanName is a name by which something is found, as it is kept.
func cleanName(name string) string {
	return redact.Name(name).Get()
}
