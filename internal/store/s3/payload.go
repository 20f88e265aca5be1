package s3

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
)

// payload is what a request carries: a part of a file, with its sums. The zero value
// is nothing.
type payload struct {
	from     io.ReaderAt
	at, size int64
	sha      string // in hexadecimal digits
	md5      string // in base64
}

// emptySum is the sum of nothing.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// part reads a part of a file once, for its sums: the server refuses what it got
// otherwise.
func part(from io.ReaderAt, at, size int64) (payload, error) {
	p := payload{from: from, at: at, size: size}
	sha, sum := sha256.New(), md5.New()
	if _, err := io.Copy(io.MultiWriter(sha, sum), p.reader()); err != nil {
		return p, err
	}
	p.sha, p.md5 = hex.EncodeToString(sha.Sum(nil)), base64.StdEncoding.EncodeToString(sum.Sum(nil))
	return p, nil
}

func (p payload) reader() io.Reader { return io.NewSectionReader(p.from, p.at, p.size) }

func (p payload) hash() string {
	if p.size == 0 {
		return emptySum
	}
	return p.sha
}
