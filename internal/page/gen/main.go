// Command gen bundles what a browser needs of the page (web/, with the packages of its
// package.json) into static/. Users need neither node nor this: what it writes is committed.
// It wants the packages: 'npm ci' in internal/page/web.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	files, err := Bundle("web")
	if err == nil {
		err = os.MkdirAll("static", 0o755)
	}
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join("static", name), text, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Bundle makes the files of static/ out of those of a folder.
func Bundle(web string) (map[string][]byte, error) {
	files := map[string][]byte{}
	r := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: filepath.Join(web, "bundle.js"), OutputPath: "page"}, {InputPath: filepath.Join(web, "plots.js"), OutputPath: "plots"}, {InputPath: filepath.Join(web, "style.css"), OutputPath: "page"}},
		Bundle:              true, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Charset: api.CharsetUTF8,
		Target: api.ES2022, Format: api.FormatESModule, External: []string{"/plots.js"}, Outdir: "static", LegalComments: api.LegalCommentsInline,
	})
	for _, m := range r.Errors {
		return nil, fmt.Errorf("%s: 'npm ci' in internal/page/web brings the packages", m.Text)
	}
	for _, f := range r.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, nil
}
