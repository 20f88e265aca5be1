package api

import (
	"errors"
	"net/http/httptest"
	"testing"
)

// goneReader has gone: what is written stays in a buffer, and to send it fails.
type goneReader struct{ *httptest.ResponseRecorder }

func (goneReader) FlushError() error { return errors.New("broken pipe") }

func TestStreamToAReaderThatHasGoneEnds(t *testing.T) {
	var s Server
	x, end, err := s.open(goneReader{httptest.NewRecorder()}, httptest.NewRequest("GET", "/v1/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := x.put(message(": \n\n")); err == nil {
		t.Error("got no error from a reader that has gone, want the stream ended by it")
	}
	if end(); s.reading.Load() != 0 {
		t.Errorf("got %d streams, want none", s.reading.Load())
	}
}
