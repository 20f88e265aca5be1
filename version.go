package piton

import "runtime/debug"

// version is set by release builds: -ldflags "-X github.com/piton-project/piton.version=v1.2.3".
var version string

// Version names this build: the release, else the module's version, else
// "devel" with the commit it was built from where that is known.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
