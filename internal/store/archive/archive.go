// Package archive keeps checkpoints in files of their own: self-contained,
// compressed, summed line by line, never rewritten, in a folder or in an S3
// bucket. The same form is what `piton export` writes and `piton import`
// reads. docs/format.md, "Archive files", describes the bytes.
package archive

import (
	"net/url"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Open returns the archive that spec names: a folder's path, "file:DIR", or
// "s3://BUCKET/PREFIX?endpoint=HOST:PORT&region=REGION&insecure=1". It touches
// neither disk nor network. Invalid when the spec is none of these.
//
// owner names the store whose checkpoints are written. Two stores may hold the
// same checkpoints and use the same place: a file is never both's, so that one
// can remove its own. Whoever only reads may leave it empty.
func Open(spec, owner string) (store.Archive, error) {
	scheme, rest, ok := strings.Cut(spec, ":")
	switch {
	case ok && scheme == "s3":
		return openS3(spec, owner)
	case ok && scheme == "file":
		spec = strings.TrimPrefix(rest, "//")
	case ok && strings.HasPrefix(rest, "//"):
		return nil, badSpec("the scheme %q is not known", scheme)
	}
	if spec == "" {
		return nil, badSpec("no place is named")
	}
	return Folder{Dir: spec, Owner: owner}, nil
}

func openS3(spec, owner string) (store.Archive, error) {
	u, err := url.Parse(spec)
	if err != nil {
		// The parser's words repeat the text, which may hold a secret.
		return nil, badSpec("not a URL")
	}
	if u.User != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: openOp, Err: errKeysInURL,
			Hint: "take them out of the URL; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead"}
	}
	s := &S3{Owner: owner, Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	for key, values := range u.Query() {
		switch value := values[len(values)-1]; {
		case key == "endpoint":
			s.Endpoint = value
		case key == "region":
			s.Region = value
		case key == "insecure" && (value == "1" || value == "true"):
			s.Insecure = true
		case key == "insecure" && (value == "0" || value == "false"):
		default:
			return nil, badSpec("the parameter %q, or its value, is not known", key)
		}
	}
	if _, err := s.connect(); err != nil {
		return nil, err
	}
	return s, nil
}
