package main

import (
	"cmp"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

// now is the time that ages are counted to.
func (con *console) now() time.Time {
	if con.options.Now != nil {
		return con.options.Now()
	}
	return time.Now()
}

// when writes a time for people, in their own zone, which it names; "" for none.
// Programs read UTC in JSON.
func (con *console) when(t piton.Time) string {
	if t.IsZero() {
		return ""
	}
	zone := cmp.Or(con.zone, time.Local)
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}

// age says how long ago a time was, as lists have it: 40s, 12m, 2h, 3d; "" for none.
func (con *console) age(t piton.Time) string {
	if t.IsZero() {
		return ""
	}
	return states.Age(con.now().Sub(t.Time))
}

// ago is age as a column of a person's list has it, where the terminal has room for
// the word.
func (con *console) ago(t piton.Time) string {
	age := con.age(t)
	if age == "" || !con.forPerson() || con.width() > 0 && con.width() < narrowScreen {
		return age
	}
	return age + " ago"
}

// narrowScreen is how many columns a terminal has at least that is not narrow.
const narrowScreen = 80
