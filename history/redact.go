package history

import (
	"slices"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/redact"
)

// field is a text of a record, and its path in an exported checkpoint, as a
// JSON pointer.
type field struct {
	path string
	text *string
}

// takeOut takes secrets out of texts and returns the path of each.
func takeOut(rules *redact.Rules, fields ...field) (paths []string) {
	for _, f := range fields {
		clean, n := rules.Text(*f.text)
		*f.text = clean
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
		fields[i] = field{path + "/" + strconv.Itoa(i), &(*list)[i]}
	}
	return fields
}

// recordFields are the texts of a record that people and agents write.
func recordFields(c *piton.Checkpoint) []field {
	return append(append(each("/tags", &c.Tags), field{"/step_name", &c.StepName}, field{"/session_name", &c.SessionName}, field{"/name", &c.Name},
		field{"/description", &c.Description}, field{"/task_summary", &c.TaskSummary}), originFields(&c.Origin)...)
}

func originFields(o *piton.Origin) []field {
	return []field{{"/origin/agent", &o.Agent}, {"/origin/client_version", &o.ClientVersion}, {"/origin/host", &o.Host}, {"/origin/git_head", &o.GitHead}, {"/origin/git_branch", &o.GitBranch}}
}

// cleanState takes secrets out of a state and returns the path of each.
func cleanState(rules *redact.Rules, state []byte) (clean []byte, paths []string, err error) {
	if clean, paths, err = rules.Find(state); err != nil {
		return nil, nil, err
	}
	for i := range paths {
		paths[i] = "/state" + paths[i]
	}
	return clean, paths, nil
}
