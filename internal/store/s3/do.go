package s3

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	tries      = 3
	firstPause = 200 * time.Millisecond // then twice as long
)

// do sends a request until it is answered well, a few times at most. The body of the
// answer is the caller's to close.
func (c *Client) do(ctx context.Context, x call) (*http.Response, error) {
	pause := firstPause
	for try := 1; ; try++ {
		region, err := c.region(ctx)
		if err != nil {
			return nil, err
		}
		res, err := c.send(ctx, x, region)
		if err == nil && res.StatusCode/100 == 2 {
			return res, nil
		}
		if err == nil {
			err = answerOf(res)
		}
		var said *Error
		moved := errors.As(err, &said) && said.Region != "" && said.Region != region
		if moved {
			c.moved(said.Region)
		}
		if try == tries || ctx.Err() != nil || !moved && !again(err) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
			pause *= 2
		}
	}
}
