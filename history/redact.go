package history

import (
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/redact"
)

// takeOut takes secrets out of texts and returns how many there were.
func takeOut(texts ...*string) (taken int) {
	for _, s := range texts {
		clean, n := redact.Text(*s)
		*s = clean
		taken += n
	}
	return taken
}

// each is a pointer to every text of a list of the caller's, which stays as it
// is: list is another from now on.
func each(list *[]string) []*string {
	*list = slices.Clone(*list)
	texts := make([]*string, len(*list))
	for i := range *list {
		texts[i] = &(*list)[i]
	}
	return texts
}

// cleanRecord takes secrets out of what a record says.
func cleanRecord(c *piton.Checkpoint) (taken int) {
	return takeOut(append(each(&c.Tags), &c.StepName, &c.SessionName, &c.Name, &c.Description, &c.TaskSummary)...) + cleanOrigin(&c.Origin)
}

func cleanOrigin(o *piton.Origin) (taken int) {
	return takeOut(&o.Agent, &o.ClientVersion, &o.Host, &o.GitHead, &o.GitBranch)
}
