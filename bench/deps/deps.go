// Package deps pins libraries until their rooms land.
package deps

import (
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/minio/minio-go/v7"
	_ "github.com/ncruces/go-sqlite3/ext/fts5"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/schollz/progressbar/v3"
)
