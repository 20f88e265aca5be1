package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// Put writes an object in one request.
func (c *Client) Put(ctx context.Context, key string, from io.ReaderAt, size int64, kind string) error {
	body, err := part(from, 0, size)
	if err != nil {
		return err
	}
	res, err := c.do(ctx, call{
		method: http.MethodPut, key: key, body: body,
		header: http.Header{"Content-Type": {kind}, "Content-Md5": {body.md5}},
	})
	return closed(res, err)
}

// Stat returns the size of an object.
func (c *Client) Stat(ctx context.Context, key string) (int64, error) {
	res, err := c.do(ctx, call{method: http.MethodHead, key: key})
	if err = closed(res, err); err != nil {
		return 0, err
	}
	return res.ContentLength, nil
}

// Get opens an object.
func (c *Client) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	res, err := c.do(ctx, call{method: http.MethodGet, key: key})
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Remove removes an object.
func (c *Client) Remove(ctx context.Context, key string) error {
	res, err := c.do(ctx, call{method: http.MethodDelete, key: key})
	return closed(res, err)
}

// errListing is a list that goes on and does not say where.
var errListing = errors.New("the server's list of objects does not go on")

// List lists the keys that begin with a prefix and have no slash behind it.
func (c *Client) List(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	next := ""
	for {
		query := url.Values{"list-type": {"2"}, "prefix": {prefix}, "delimiter": {"/"}, "encoding-type": {"url"}}
		if next != "" {
			query.Set("continuation-token", next)
		}
		var page struct {
			EncodingType          string
			IsTruncated           bool
			NextContinuationToken string
			Contents              []struct{ Key string }
		}
		if err := c.read(ctx, call{method: http.MethodGet, query: query}, &page); err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			if page.EncodingType == "url" {
				plain, err := url.QueryUnescape(o.Key)
				if err != nil {
					return nil, err
				}
				o.Key = plain
			}
			keys = append(keys, o.Key)
		}
		if !page.IsTruncated {
			return keys, nil
		}
		if page.NextContinuationToken == "" || page.NextContinuationToken == next {
			return nil, errListing
		}
		next = page.NextContinuationToken
	}
}

// read sends a request and reads the XML that answers it.
func (c *Client) read(ctx context.Context, x call, into any) error {
	res, err := c.do(ctx, x)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return xml.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(into)
}

// closed closes an answer of which nothing more is read.
func closed(res *http.Response, err error) error {
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // the connection is used again
	return res.Body.Close()
}
