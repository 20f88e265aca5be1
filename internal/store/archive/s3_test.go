package archive_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

func TestS3(t *testing.T) {
	contract(t, s3(server(t)))
}

// big is an entry that does not compress: of at least n bytes.
func big(n int) store.Entry {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n*8/6)
	r.Read(b)
	for i := range b {
		b[i] = digits[b[i]&63]
	}
	return entry(workflowA, 1, `{"a":"`+string(b)+`"}`)
}

// noSecret fails where an error tells a key.
func noSecret(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text := err.Error()
	if e, ok := err.(*piton.Error); ok {
		text += e.Hint
	}
	for _, secret := range []string{secretKey, accessKey, "Signature=", "X-Amz"} {
		if strings.Contains(text, secret) {
			t.Errorf("got %q, which tells %q", text, secret)
		}
	}
}

func TestS3UploadThatIsCut(t *testing.T) {
	addr := server(t)
	p := newProxy(t, addr)
	direct, cut := s3(addr), s3(p.Addr().String())
	entries := sequence([]store.Entry{big(3 << 20)})
	for _, at := range []int{0, 200, 64 << 10, 2 << 20} {
		p.cut(at)
		name, _, err := cut.Write(t.Context(), entries)
		if piton.CodeOf(err) != piton.Unavailable || name != "" {
			t.Fatalf("cut after %d bytes: got %q, %v, want unavailable", at, name, err)
		}
		noSecret(t, err)
		if names, err := direct.Files(t.Context()); err != nil || len(names) != 0 {
			t.Fatalf("cut after %d bytes: got %v (%v), want nothing there", at, names, err)
		}
	}
	if p.cut(-1) < 4 {
		t.Error("the proxy has cut fewer connections than uploads")
	}
	name, _, err := cut.Write(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	r, err := cut.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, 1000); err != nil {
		t.Fatal(err)
	}
	p.cut(0)
	if _, err = io.Copy(io.Discard, r); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("cut while reading: got %v, want unavailable", err)
	}
	noSecret(t, err)
	_, err = cut.Entry(t.Context(), name, "chk_aaaa000000000001")
	if piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("cut before reading: got %v, want unavailable", err)
	}
	noSecret(t, err)
}

// A file too large for one request is sent in parts; half of them are not a file.
func TestS3UploadInParts(t *testing.T) {
	addr := server(t)
	p := newProxy(t, addr)
	direct, cut := s3(addr), s3(p.Addr().String())
	cut.SplitFrom(1)
	entries := sequence([]store.Entry{big(20 << 20)})
	p.cut(10 << 20) // the first part is larger, the second is not
	if _, _, err := cut.Write(t.Context(), entries); piton.CodeOf(err) != piton.Unavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
	if names, err := direct.Files(t.Context()); err != nil || len(names) != 0 {
		t.Fatalf("got %v (%v), want nothing there", names, err)
	}
	p.cut(-1)
	name, _, err := cut.Write(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := direct.Entry(t.Context(), name, "chk_aaaa000000000001"); err != nil || len(e.State) < 20<<20 {
		t.Errorf("got a state of %d bytes (%v), want all of it", len(e.State), err)
	}
}

func TestS3MendsWhatItWritesAgain(t *testing.T) {
	addr := server(t)
	a := s3(addr)
	name, size, err := a.Write(t.Context(), sequence(some()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(addr, &minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.PutObject(t.Context(), bucket, "a/b/"+name, bytes.NewReader([]byte("rotten")), 6, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	// Other people's objects are none of the archive's.
	for _, key := range []string{"a/b/piton-notes.txt", "a/b/c/" + name, "a/" + name, name} {
		if _, err := client.PutObject(t.Context(), bucket, key, bytes.NewReader([]byte("x")), 1, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Entry(t.Context(), name, some()[0].Checkpoint.ID); piton.CodeOf(err) != piton.Corrupt {
		t.Errorf("got %v of a rotten file, want corrupt", err)
	}
	if again, size2, err := a.Write(t.Context(), sequence(some())); err != nil || again != name || size2 != size {
		t.Errorf("got %s, %d bytes (%v), want %s mended", again, size2, err, name)
	}
	if _, err := a.Entry(t.Context(), name, some()[0].Checkpoint.ID); err != nil {
		t.Error(err)
	}
	if names, err := a.Files(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("got %v (%v), want only %s", names, err, name)
	}
}

func TestS3Failures(t *testing.T) {
	addr := server(t)
	entries := sequence(some())
	fails := func(name string, a *archive.S3, words string) {
		t.Helper()
		_, _, err := a.Write(t.Context(), entries)
		if piton.CodeOf(err) != piton.Unavailable || !strings.Contains(err.(*piton.Error).Hint, words) {
			t.Errorf("%s: got %v, want unavailable with %q in the hint", name, err, words)
		}
		noSecret(t, err)
		_, err = a.Files(t.Context())
		if piton.CodeOf(err) != piton.Unavailable {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
		noSecret(t, err)
	}
	a := s3(addr)
	a.Bucket = "nothing-here"
	fails("no such bucket", a, "make the bucket")
	fails("no server", s3(freePort(t)), "the network")
	a = s3(addr)
	a.Endpoint = addr
	fails("a server without TLS", a, "the network")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey+"x")
	fails("a wrong secret", s3(addr), "AWS_SECRET_ACCESS_KEY")
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey+"x")
	fails("an unknown key", s3(addr), "AWS_ACCESS_KEY_ID")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	if err := os.WriteFile(os.Getenv("AWS_CONFIG_FILE"), []byte("[default]\naws_access_key_id = "+accessKey), 0o600); err != nil {
		t.Fatal(err)
	}
	fails("half of a pair of keys", s3(addr), "AWS_PROFILE")
}

func TestOpen(t *testing.T) {
	for spec, want := range map[string]archive.Folder{
		"/var/archive": {Dir: "/var/archive"}, "archive": {Dir: "archive"}, "file:/var/archive": {Dir: "/var/archive"},
		"file:///var/archive": {Dir: "/var/archive"}, `C:\archive`: {Dir: `C:\archive`},
	} {
		if got, err := archive.Open(spec, ""); err != nil || got != store.Archive(want) {
			t.Errorf("%s: got %v (%v), want %v", spec, got, err, want)
		}
	}
	got, err := archive.Open("s3://bucket/a/b/?endpoint=https://s3.example.org:9000&region=eu-central-1", "")
	if s, ok := got.(*archive.S3); err != nil || !ok || s.Bucket != "bucket" || s.Prefix != "a/b" || s.Endpoint != "https://s3.example.org:9000" || s.Region != "eu-central-1" || s.Insecure {
		t.Errorf("got %+v (%v), want each part of the URL in its place", got, err)
	}
	for _, good := range []string{"s3://bucket", "s3://bucket/p?endpoint=s3.example.org", "s3://bucket?endpoint=http://127.0.0.1:9000",
		"s3://bucket?endpoint=http://localhost:9000", "s3://bucket?endpoint=http://[::1]:9000", "s3://bucket?endpoint=http://s3.lan&insecure=1", "s3://bucket?endpoint=s3.lan:9000&insecure=true"} {
		if _, err := archive.Open(good, ""); err != nil {
			t.Errorf("%s: got %v", good, err)
		}
	}
	for _, bad := range []string{"", "file:", "gs://bucket", "https://bucket", "s3://", "s3:///prefix", "s3://b_", "s3://a..b", "s3://" + accessKey + ":" + secretKey + "@bucket",
		"s3://bucket?endpoint=http://s3.lan", "s3://bucket?endpoint=ftp://s3.lan", "s3://bucket?endpoint=https://k:" + secretKey + "@s3.lan",
		"s3://bucket?secret=" + secretKey, "s3://bucket?insecure=perhaps", "s3://bucket?endpoint=https://s3.lan/path", "s3://" + secretKey + "%zz"} {
		_, err := archive.Open(bad, "")
		if piton.CodeOf(err) != piton.Invalid || err.(*piton.Error).Hint == "" {
			t.Errorf("%s: got %v, want invalid with a hint", bad, err)
		}
		noSecret(t, err)
	}
}

// What is written to be sent does not stay.
func TestS3TemporaryFilesAreGone(t *testing.T) {
	addr := server(t)
	t.Setenv("TMPDIR", t.TempDir())
	a := s3(addr)
	a.Region = "" // the server is asked
	if _, _, err := a.Write(t.Context(), sequence(some())); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("got %v (%v) in the temporary folder, want nothing", left, err)
	}
}
