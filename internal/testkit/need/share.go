package need

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// DayVariable names the day whose share of the cases is tried, a number, instead of
// today.
const DayVariable = "PITON_TEST_DAY"

// day is today, counted from 1970, or the one that DayVariable names.
func day() int {
	if n, err := strconv.Atoi(os.Getenv(DayVariable)); err == nil {
		return n
	}
	return int(time.Now().Unix() / (24 * 60 * 60))
}

// Share returns which cases of a long sweep are tried today: one in of, so that all have
// been tried in as many days. With AllCases each is. A test that fails says how its cases
// are tried again.
func Share(t testing.TB, of int) (tried func(i int) bool) {
	if os.Getenv(AllCases) != "" {
		return func(int) bool { return true }
	}
	today := day()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("one case in %d was tried: %s=%d tries the same again, %s=1 tries all", of, DayVariable, today, AllCases)
		}
	})
	return func(i int) bool { return (i+today)%of == 0 }
}
