package git

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// benchWork has 10,000 committed files, older than the index, and five dirty ones.
func benchWork(b *testing.B) work {
	w := newWork(b)
	for i := range 10_000 {
		name := fmt.Sprintf("d%d/f%d.txt", i/100, i)
		w.write(name, name)
		at(w, name, time.Unix(1e9, 0))
	}
	w.commit()
	for i := range 3 {
		w.write(fmt.Sprintf("d%d/f%d.txt", i, i*100), "changed")
	}
	w.write("new/a", "1")
	w.write("new/b", "1")
	return w
}

// floor is git alone, started as plainly as Go can.
func floor(b *testing.B, w work) {
	cmd := exec.Command("git", "--no-optional-locks", "status", "--porcelain=v2", "-uall")
	cmd.Dir = w.dir
	if _, err := cmd.Output(); err != nil {
		b.Fatal(err)
	}
}

func baseline(b *testing.B, w work) Baseline {
	base, err := w.repo().Baseline(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return base
}

// changedOne wants the one file that was changed since base.
func changedOne(b *testing.B, w work, base Baseline) {
	if c, err := compare(b.Context(), w.repo(), &base); err != nil || len(c.Files) != 1 {
		b.Fatalf("got %+v, %v, want one file", c, err)
	}
}

func BenchmarkStatusFloor(b *testing.B) {
	w := benchWork(b)
	b.ResetTimer()
	for b.Loop() {
		floor(b, w)
	}
}

func BenchmarkBaseline(b *testing.B) {
	w := benchWork(b)
	b.ResetTimer()
	for b.Loop() {
		baseline(b, w)
	}
}

func BenchmarkChanged(b *testing.B) {
	w := benchWork(b)
	base := baseline(b, w)
	w.write("d0/f0.txt", "changed again")
	b.ResetTimer()
	for b.Loop() {
		changedOne(b, w, base)
	}
}

// BenchmarkChangedCommitted adds the two runs of git that a moved HEAD costs.
func BenchmarkChangedCommitted(b *testing.B) {
	w := benchWork(b)
	base := baseline(b, w)
	commitFile("d0/f0.txt", "committed")(w)
	b.ResetTimer()
	for b.Loop() {
		changedOne(b, w, base)
	}
}

// BenchmarkAgainstFloor takes turns, so that what else the machine does hits all alike, and gives the medians' ratios.
func BenchmarkAgainstFloor(b *testing.B) {
	w := benchWork(b)
	base := baseline(b, w)
	w.write("d0/f0.txt", "changed again")
	sides := []struct {
		name string
		run  func()
		took []time.Duration
	}{
		{name: "floor", run: func() { floor(b, w) }},
		{name: "baseline", run: func() { baseline(b, w) }},
		{name: "changed", run: func() { changedOne(b, w, base) }},
	}
	for b.Loop() {
		for i := range sides {
			began := time.Now()
			sides[i].run()
			sides[i].took = append(sides[i].took, time.Since(began))
		}
	}
	median := func(i int) float64 {
		slices.Sort(sides[i].took)
		return float64(sides[i].took[len(sides[i].took)/2])
	}
	b.ReportMetric(median(0)/1e6, "ms-floor")
	b.ReportMetric(median(1)/median(0), "×-baseline")
	b.ReportMetric(median(2)/median(0), "×-changed")
}

// BenchmarkDirty has 5,000 small dirty files, the most that are hashed.
func BenchmarkDirty(b *testing.B) {
	w := newWork(b)
	for i := range hashedFiles {
		w.write(fmt.Sprintf("d%d/f%d.txt", i/100, i), lines("x")+fmt.Sprint(i))
	}
	base, err := w.repo().Baseline(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	kept, err := json.Marshal(base)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("status", func(b *testing.B) {
		for b.Loop() {
			_, _ = w.repo().Status(b.Context())
		}
	})
	b.Run("baseline", func(b *testing.B) {
		for b.Loop() {
			_, _ = w.repo().Baseline(b.Context())
		}
	})
	b.Run("changed, young", func(b *testing.B) {
		for b.Loop() {
			_, _ = compare(b.Context(), w.repo(), &base)
		}
	})
	old := base
	old.Taken = base.Taken.Add(time.Minute)
	b.Run("changed, old", func(b *testing.B) {
		for b.Loop() {
			_, _ = compare(b.Context(), w.repo(), &old)
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			_, _ = json.Marshal(base)
		}
		b.ReportMetric(float64(len(kept)), "bytes")
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			var again Baseline
			_ = json.Unmarshal(kept, &again)
		}
	})
}
