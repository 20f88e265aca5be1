package archive_test

import (
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/verbtest"
)

// What a prune does about files that nothing names it does in a bucket too.
func TestS3Orphans(t *testing.T) {
	addr := server(t)
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	verbtest.Orphans(t, verbtest.SQL(st), func(owner string) store.Archive {
		return &archive.S3{Endpoint: "http://" + addr, Bucket: bucket, Prefix: "a/b", Region: "us-east-1", Owner: owner}
	})
}
