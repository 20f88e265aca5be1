package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// region is the one that requests are signed for: the bucket's.
func (c *Client) region(ctx context.Context) (string, error) {
	c.mu.Lock()
	known := c.found
	c.mu.Unlock()
	if known == "" {
		known = c.Region
	}
	if known != "" {
		return known, nil
	}
	region, err := c.ask(ctx)
	if err == nil {
		c.moved(region)
	}
	return region, err
}

func (c *Client) moved(region string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = region
}

// ask asks for the bucket's region. A server that does not say has only one.
func (c *Client) ask(ctx context.Context) (string, error) {
	res, err := c.send(ctx, call{method: http.MethodGet, query: url.Values{"location": {""}}}, firstRegion)
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		err := answerOf(res)
		var said *Error
		errors.As(err, &said)
		switch {
		case said.Region != "":
			return said.Region, nil
		case said.Code == "AccessDenied" || said.Code == "NotImplemented":
			return firstRegion, nil
		}
		return "", err
	}
	defer res.Body.Close()
	var answer struct {
		Region string `xml:",chardata"`
	}
	if err := xml.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&answer); err != nil {
		return "", err
	}
	switch answer.Region {
	case "":
		return firstRegion, nil
	case "EU":
		return "eu-west-1", nil
	}
	return answer.Region, nil
}
