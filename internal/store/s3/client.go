// Package s3 is a client of S3 servers with the few calls that an archive needs. It
// signs with Amazon's own signer; the rest is small, because the libraries that offer
// all of S3 take 1 ms of the start of every program that links them.
package s3

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Amazon is the host of Amazon's own servers.
const Amazon = "s3.amazonaws.com"

// Client calls one bucket of a server. Its fields are set before the first call.
type Client struct {
	Host   string // host or host:port
	Secure bool   // TLS
	Bucket string
	Region string // the server is asked when empty

	mu    sync.Mutex
	found string // the region that the server has told
	keys  keyring
}

// firstRegion is the region in which a bucket's own is asked for.
const firstRegion = "us-east-1"

// web is a transport that neither unpacks what comes nor follows a redirection: a
// request is signed for one address.
var web = sync.OnceValue(func() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			IdleConnTimeout:       90 * time.Second,
			DisableCompression:    true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
})

// call is one request, which can be sent again.
type call struct {
	method, key string
	query       url.Values
	header      http.Header
	body        payload
}

// send sends a request once.
func (c *Client) send(ctx context.Context, x call, region string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, x.method, c.address(x.key, region).String(), nil)
	if err != nil {
		return nil, err
	}
	req.URL.RawQuery = x.query.Encode()
	for name, values := range x.header {
		req.Header[name] = values
	}
	if x.body.size > 0 {
		req.ContentLength = x.body.size
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(x.body.reader()), nil }
		req.Body, _ = req.GetBody()
	}
	sum := x.body.hash()
	req.Header.Set("X-Amz-Content-Sha256", sum)
	keys, err := c.keys.get(ctx)
	if err != nil {
		return nil, err
	}
	if keys.AccessKeyID != "" { // without keys the bucket may be open to all
		signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
		if err := signer.SignHTTP(ctx, keys, req, sum, "s3", region, time.Now()); err != nil {
			return nil, err
		}
	}
	return web().Do(req)
}

// address is that of a key; "" is the bucket. Amazon has a name for each bucket, which
// certificates do not cover where the bucket's has dots.
func (c *Client) address(key, region string) *url.URL {
	u := &url.URL{Scheme: "http", Host: c.Host, Path: "/" + key}
	if c.Secure {
		u.Scheme = "https"
	}
	if c.Host == Amazon && region != "" {
		u.Host = "s3.dualstack." + region + ".amazonaws.com"
		if strings.HasPrefix(region, "cn-") {
			u.Host += ".cn"
		}
	}
	name, _, _ := strings.Cut(u.Host, ":")
	named := strings.HasSuffix(name, ".amazonaws.com") || strings.HasSuffix(name, ".amazonaws.com.cn") || strings.HasSuffix(name, ".aliyuncs.com")
	if named && !strings.Contains(c.Bucket, ".") {
		u.Host = c.Bucket + "." + u.Host
	} else {
		u.Path = "/" + c.Bucket + u.Path
	}
	u.RawPath = escaped(u.Path)
	return u
}

// escaped escapes a path as a signature wants it: all but what RFC 3986 reserves for
// nothing, and the slashes.
func escaped(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		switch ch := path[i]; {
		case ch >= 'a' && ch <= 'z', ch >= 'A' && ch <= 'Z', ch >= '0' && ch <= '9', strings.IndexByte("-._~/", ch) >= 0:
			b.WriteByte(ch)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[ch>>4])
			b.WriteByte(hex[ch&15])
		}
	}
	return b.String()
}
