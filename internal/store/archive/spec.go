package archive

import "github.com/piton-project/piton"

const openOp = "open the archive"

func badSpec(format string, args ...any) error {
	return piton.Errorf(piton.Invalid, openOp,
		"name a folder, file:DIR, or s3://BUCKET/PREFIX?endpoint=HOST:PORT&region=REGION&insecure=1", format, args...)
}
