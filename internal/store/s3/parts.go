package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Bounds of an upload in parts, as S3 has them.
const (
	leastPart = 16 << 20 // S3 takes 5 MiB
	maxParts  = 10_000
)

// abortPatience is how long the parts of a failed upload may take to be removed.
const abortPatience = 10 * time.Second

// PutParts writes an object in parts. Half of them are no object, and are removed.
func (c *Client) PutParts(ctx context.Context, key string, from io.ReaderAt, size int64, kind string) error {
	var begun struct{ UploadId string }
	err := c.read(ctx, call{method: http.MethodPost, key: key, query: url.Values{"uploads": {""}}, header: http.Header{"Content-Type": {kind}}}, &begun)
	if err != nil {
		return err
	}
	upload := url.Values{"uploadId": {begun.UploadId}}
	if err = c.putAll(ctx, key, from, size, upload); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortPatience)
	defer cancel()
	res, gone := c.do(ctx, call{method: http.MethodDelete, key: key, query: upload})
	_ = closed(res, gone) // the server removes them by its own rules
	return err
}

// putAll sends the parts and makes them one object.
func (c *Client) putAll(ctx context.Context, key string, from io.ReaderAt, size int64, upload url.Values) error {
	type sent struct {
		PartNumber int
		ETag       string
	}
	all := struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []sent
	}{}
	step := max(leastPart, (size+maxParts-1)/maxParts)
	for at := int64(0); at < size; at += step {
		body, err := part(from, at, min(step, size-at))
		if err != nil {
			return err
		}
		number := len(all.Part) + 1
		query := url.Values{"partNumber": {strconv.Itoa(number)}, "uploadId": upload["uploadId"]}
		res, err := c.do(ctx, call{method: http.MethodPut, key: key, query: query, body: body, header: http.Header{"Content-Md5": {body.md5}}})
		if err = closed(res, err); err != nil {
			return err
		}
		all.Part = append(all.Part, sent{number, res.Header.Get("ETag")})
	}
	text, err := xml.Marshal(all)
	if err != nil {
		return err
	}
	body, err := part(bytes.NewReader(text), 0, int64(len(text)))
	if err != nil {
		return err
	}
	// The answer begins before the server knows how it ends.
	var end Error
	if err := c.read(ctx, call{method: http.MethodPost, key: key, query: upload, body: body}, &end); err != nil {
		return err
	}
	if end.Code != "" {
		end.Status = http.StatusInternalServerError
		return &end
	}
	return nil
}
