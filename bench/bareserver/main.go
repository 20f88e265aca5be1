// Command bareserver is the floor of 'piton mcp': the SDK's server with one tool
// that does nothing.
package main

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type nothing struct{}

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "nothing", Description: "Do nothing."}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, nothing, error) {
		return nil, nothing{}, nil
	})
	if s.Run(context.Background(), &mcp.StdioTransport{}) != nil {
		os.Exit(1)
	}
}
