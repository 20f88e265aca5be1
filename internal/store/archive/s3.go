package archive

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// S3 is an archive in a bucket of an S3 server, with the names of Folder. It
// speaks TLS, except to this machine and where Insecure asks for it. The keys
// come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, MINIO_ROOT_USER and
// MINIO_ROOT_PASSWORD, ~/.aws/credentials, or the machine's role, in this
// order.
type S3 struct {
	Endpoint string // host, host:port, or a URL; Amazon when empty
	Bucket   string
	Prefix   string // of the names, without slashes around it
	Region   string // the server is asked when empty
	Insecure bool   // http without TLS, also beyond this machine

	single int64 // bytes up to which a file is one request; maxSingle when 0

	once   sync.Once
	client *minio.Core
	failed error
	Owner  string // see Open
}

var _ store.Archive = (*S3)(nil)

const (
	amazon    = "s3.amazonaws.com"
	maxSingle = 1 << 30 // S3 itself takes 5 GiB; a request that fails begins again
	partSize  = 16 << 20
	tries     = 3
)

// errKeysInURL is the cause where a URL holds a user or a password.
var errKeysInURL = errors.New("keys do not belong into the URL")

// connect makes the client; it does not speak to the server.
func (s *S3) connect() (*minio.Core, error) {
	s.once.Do(func() { s.client, s.failed = s.made() })
	return s.client, s.failed
}

func (s *S3) made() (*minio.Core, error) {
	host, secure, err := s.address()
	if err != nil {
		return nil, err
	}
	if s.Bucket == "" {
		return nil, badSpec("no bucket is named")
	}
	if err := s3utils.CheckValidBucketName(s.Bucket); err != nil {
		return nil, badSpec("the bucket %q: %w", s.Bucket, err)
	}
	if strings.ContainsAny(host, "/\\?#@ ") || strings.HasPrefix(host, ":") {
		return nil, badSpec("the endpoint is not HOST:PORT")
	}
	client, err := minio.NewCore(host, &minio.Options{Creds: credentials.New(&keys{}), Secure: secure, Region: s.Region, MaxRetries: tries})
	if err != nil {
		return nil, badSpec("the endpoint: %w", err)
	}
	return client, nil
}

// address is the server's host and whether to use TLS.
func (s *S3) address() (host string, secure bool, err error) {
	host = s.Endpoint
	if host == "" {
		return amazon, true, nil
	}
	scheme := ""
	if strings.Contains(host, "://") {
		u, err := url.Parse(host)
		if err != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
			return "", false, badSpec("the endpoint is not HOST:PORT")
		}
		if u.User != nil {
			return "", false, &piton.Error{Code: piton.Invalid, Op: openOp, Hint: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", Err: errKeysInURL}
		}
		scheme, host = u.Scheme, u.Host
	}
	switch {
	case scheme == "" && !s.Insecure, scheme == "https":
		return host, true, nil
	case scheme != "" && scheme != "http":
		return "", false, badSpec("the endpoint's scheme %q is not known", scheme)
	case s.Insecure || loopback(host):
		return host, false, nil
	}
	return "", false, piton.Errorf(piton.Invalid, openOp, "use https, or add insecure=1 if nobody can listen on the way",
		"the endpoint %s would be spoken to without TLS", host)
}

func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *S3) key(name string) string { return path.Join(s.Prefix, name) }

// Write implements piton.Archive. The file is made in the temporary folder
// first: its name comes from what it holds, and an upload needs its size.
// Where the server's answer alone was lost, the whole file may be there; the
// next Write of the same entries finds it.
func (s *S3) Write(ctx context.Context, entries store.CleanEntries) (string, int64, error) {
	client, err := s.connect()
	if err != nil {
		return "", 0, err
	}
	temp, err := os.CreateTemp("", "piton-archive-*.tmp")
	if err != nil {
		return "", 0, writeFailed(err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	// Where the system allows it the name goes first: a kill leaves nothing.
	os.Remove(temp.Name())
	c, size, err := writeFile(ctx, temp, entries)
	if err != nil {
		return "", 0, err
	}
	name := fileName(c, s.Owner)
	switch there, err := s.holds(ctx, client, name, c.sum); {
	case err != nil:
		return "", 0, err
	case there > 0:
		return name, there, nil
	}
	single := cmp.Or(s.single, maxSingle)
	o := minio.PutObjectOptions{ContentType: "application/zstd", SendContentMd5: true, DisableMultipart: size <= single, PartSize: partSize, NumThreads: 1}
	if _, err := client.Client.PutObject(ctx, s.Bucket, s.key(name), io.NewSectionReader(temp, 0, size), size, o); err != nil {
		return "", 0, s.error(encodeOp, err)
	}
	return name, size, nil
}

// holds returns the size of the object with this name if it is there and
// whole, else 0.
func (s *S3) holds(ctx context.Context, client *minio.Core, name, sum string) (int64, error) {
	found, err := client.StatObject(ctx, s.Bucket, s.key(name), minio.StatObjectOptions{})
	if err != nil {
		if err = s.error(encodeOp, err); piton.CodeOf(err) == piton.NotFound {
			return 0, nil
		}
		return 0, err
	}
	r, err := s.Open(ctx, name)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if !whole(r, sum) {
		return 0, nil
	}
	return found.Size, nil
}

// Entry implements piton.Archive; it reads the file as far as the entry.
func (s *S3) Entry(ctx context.Context, name, checkpoint string) (store.Entry, error) {
	return find(ctx, s, name, checkpoint)
}

// Entries implements piton.Archive.
func (s *S3) Entries(ctx context.Context, name string) store.Entries { return all(ctx, s, name) }

// Open implements piton.Archive.
func (s *S3) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	const op = "open a file of the archive"
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	client, err := s.connect()
	if err != nil {
		return nil, err
	}
	r, _, _, err := client.GetObject(ctx, s.Bucket, s.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, s.error(op, err)
	}
	return download{ReadCloser: r, s: s}, nil
}

// download types what the connection says while an object is read.
type download struct {
	io.ReadCloser
	s *S3
}

func (d download) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = d.s.error(decodeOp, err)
	}
	return n, err
}

// Files implements piton.Archive.
func (s *S3) Files(ctx context.Context) ([]string, error) {
	client, err := s.connect()
	if err != nil {
		return nil, err
	}
	var names []string
	for o := range client.ListObjectsIter(ctx, s.Bucket, minio.ListObjectsOptions{Prefix: s.key("piton-")}) {
		if ctx.Err() != nil {
			return nil, stopped(ctx, "list the archive")
		}
		if o.Err != nil {
			return nil, s.error("list the archive", o.Err)
		}
		if name := path.Base(o.Key); s.key(name) == o.Key && nameForm().MatchString(name) {
			names = append(names, name)
		}
	}
	if ctx.Err() != nil {
		return nil, stopped(ctx, "list the archive")
	}
	slices.Sort(names)
	return names, nil
}

// Remove implements piton.Archive.
func (s *S3) Remove(ctx context.Context, name string) error {
	const op = "remove a file of the archive"
	if err := checkName(op, name); err != nil {
		return err
	}
	client, err := s.connect()
	if err != nil {
		return err
	}
	err = client.RemoveObject(ctx, s.Bucket, s.key(name), minio.RemoveObjectOptions{})
	if err = s.error(op, err); err != nil && piton.CodeOf(err) != piton.NotFound {
		return err
	}
	return nil
}

// refused is what servers call keys that are wrong or may not do this.
var refused = []string{"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "XAdminUserNotFound"}

// error maps what the server or the way to it said. Causes are named without
// the request, which bears the keys' signature.
func (s *S3) error(op string, err error) error {
	if err == nil {
		return nil
	}
	out := &piton.Error{Code: piton.Unavailable, Op: op, Hint: "is the network there, and the endpoint right? try again"}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		var request *url.Error
		if errors.As(err, &request) {
			err = request.Err
		}
		if errors.Is(err, errKeys) {
			out.Hint = "look at AWS_PROFILE and ~/.aws, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
		}
		out.Err = err
		return out
	}
	out.Err = errors.New("the server says " + cmp.Or(answer.Code, http.StatusText(answer.StatusCode)))
	switch {
	case answer.Code == "NoSuchKey" || answer.Code == "NotFound":
		out.Code, out.Hint = piton.NotFound, "'verify' lists what is missing; is this the right bucket and prefix?"
	case answer.Code == "NoSuchBucket":
		out.Hint = "make the bucket " + s.Bucket + ", or name another"
	case slices.Contains(refused, answer.Code) || answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		out.Hint = "look at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and at the key's rights to list, read, write and delete in " + s.Bucket
	}
	return out
}
