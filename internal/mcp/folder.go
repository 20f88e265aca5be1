package mcp

import "context"

// folderKey is under which the context of a call has the folder of its caller.
type folderKey struct{}

// folderOf is the folder of a call's caller; "" where it is not known.
func folderOf(ctx context.Context) string {
	dir, _ := ctx.Value(folderKey{}).(string)
	return dir
}
