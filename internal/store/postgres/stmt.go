package postgres

import (
	"database/sql/driver"
	"strconv"
)

// stmt is a statement with its parameters, as they travel.
type stmt struct {
	text    string
	params  [][]byte
	formats []int16
}

func (s stmt) size() int {
	n := len(s.text)
	for _, p := range s.params {
		n += len(p)
	}
	return n
}

// result is what a statement has brought.
type result struct {
	columns []string
	rows    [][]driver.Value
	changed int64
	tag     string
}

// names are the statements that the server keeps under a name.
type names struct {
	most int // 0: none
	last int
	by   map[string]string
}

// of is the name of a statement, "" for none; fresh: the server has yet to hear it.
func (n *names) of(text string) (name string, fresh bool) {
	if name, ok := n.by[text]; ok {
		return name, false
	}
	if len(n.by) >= n.most || text == "begin" || text == "commit" {
		return "", false
	}
	if n.by == nil {
		n.by = map[string]string{}
	}
	n.last++
	name = "piton" + strconv.Itoa(n.last)
	n.by[text] = name
	return name, true
}

// failed forgets the names that the server has not confirmed, and all of them where
// it knows them no more or will not run them.
func (n *names) failed(state string, coming []string) {
	if state == "26000" || state == "0A000" {
		n.by = nil
	}
	for _, text := range coming {
		delete(n.by, text)
	}
}
