package archive_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/testkit/need"
)

// Keys of the server that the tests start.
const (
	accessKey = "piton-test"
	secretKey = "piton-test-secret-Zk3Wq"
	bucket    = "piton"
)

// server starts an S3 server on a folder of its own and makes a bucket; it
// returns its host and port. The server ends with the test.
func server(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("../../../build/bin/versitygw")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		need.Missing(t, "the S3 server is not built; run scripts/versitygw")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	dir, meta := t.TempDir(), t.TempDir() // not every file system has extended attributes
	// Of the ports that were free a moment ago one may be taken by now.
	for range 5 {
		addr := freePort(t)
		var out bytes.Buffer
		cmd := exec.Command(program, "--port", addr, "--quiet", "posix", "--sidecar", meta, dir)
		cmd.Env = []string{"ROOT_ACCESS_KEY=" + accessKey, "ROOT_SECRET_KEY=" + secretKey, "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		if makeBucket(t, addr, ended) {
			t.Cleanup(func() { cmd.Process.Kill(); <-ended })
			return addr
		}
		cmd.Process.Kill()
		<-ended
		t.Logf("the S3 server did not start on %s: %s", addr, out.String())
	}
	t.Fatal("the S3 server does not start")
	return ""
}

// makeBucket asks until the server answers or has ended.
func makeBucket(t *testing.T, addr string, ended <-chan struct{}) bool {
	client, err := minio.New(addr, &minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, ""), Region: "us-east-1", MaxRetries: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}); err == nil {
			return true
		}
		select {
		case <-ended:
			return false
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// proxy stands in front of a server and can cut connections.
type proxy struct {
	net.Listener
	to string

	mu   sync.Mutex
	left int // bytes to the server until each connection is cut; negative: never
	cuts int
	all  map[net.Conn]bool
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to, left: -1, all: map[net.Conn]bool{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.carry(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.cut(-1)
		wg.Wait()
	})
	return p
}

// cut ends all connections; those that come are cut after n bytes to the
// server, or never if n is negative. It returns how many were cut so far.
func (p *proxy) cut(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = n
	for c := range p.all {
		c.Close()
	}
	return p.cuts
}

func (p *proxy) carry(c net.Conn) {
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		c.Close()
		return
	}
	p.mu.Lock()
	p.all[c], p.all[s] = true, true
	left := p.left
	p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(c, s); c.Close() })
	if left < 0 {
		io.Copy(s, c)
	} else if _, err := io.CopyN(s, c, int64(left)); err == nil {
		p.mu.Lock()
		p.cuts++
		p.mu.Unlock()
	}
	s.Close()
	c.Close()
	wg.Wait()
	p.mu.Lock()
	delete(p.all, c)
	delete(p.all, s)
	p.mu.Unlock()
}

// s3 is the archive in the test's bucket, behind addr.
func s3(addr string) *archive.S3 {
	return &archive.S3{Endpoint: "http://" + addr, Bucket: bucket, Prefix: "a/b", Region: "us-east-1"}
}
