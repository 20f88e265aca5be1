package mcp

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP serves the tools, resources and prompts over streamable HTTP, to clients of
// both generations of the protocol and without a session of the transport's. It
// checks neither who calls nor, beyond what the SDK does, from where: that is for
// whoever listens.
//
// A caller is another process, so nothing that this one was started with says whose
// call it is. The folder it works in is that of the options, or else the one that the
// address names, a whole path: /mcp?project=/home/me/work. Without one a call names
// its project itself.
//
// more adds to the server before it serves.
func HTTP(o Options, more ...func(*mcp.Server)) http.Handler {
	o.App.Remote = true
	s := New(o)
	for _, add := range more {
		add(s)
	}
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxLine, PropagateRequestCancellation: true, Logger: o.Log,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if dir := r.URL.Query().Get("project"); dir != "" {
			if !filepath.IsAbs(dir) {
				http.Error(w, "project in the address is the whole path of a folder", http.StatusBadRequest)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), folderKey{}, filepath.Clean(dir)))
		}
		h.ServeHTTP(w, r)
	})
}
