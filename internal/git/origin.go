package git

import (
	"path"
	"path/filepath"
	"strings"
)

// Origin reads the URL of the remote "origin" from the repository's own configuration, as it stands there: credentials and all. "" is none.
func Origin(gitDir string) string {
	b, err := readSmall(filepath.Join(commonDir(gitDir), "config"))
	if err != nil {
		return ""
	}
	for _, s := range settings(string(b)) {
		if s.Section == "remote" && s.Sub == "origin" && s.Key == "url" {
			return s.Value
		}
	}
	return ""
}

// OriginOf is the normalised URL of the origin of the repository a folder lies in; "" is none.
func OriginOf(dir string) string {
	_, gitDir, ok := Find(dir)
	if !ok {
		return ""
	}
	return Normalise(Origin(gitDir))
}

// Normalise gives host/path of a remote's URL, the same for each way to reach it: without scheme, credentials, port, query and ".git",
// the host in lower case. A local path, or what may hold a credential somewhere else than it should, is "".
func Normalise(url string) string {
	host, p, ok := split(url)
	if !ok {
		return ""
	}
	host = strings.ToLower(host)
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_:") != "" {
		return ""
	}
	p, _, _ = strings.Cut(p, "?")
	p, _, _ = strings.Cut(p, "#")
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	p = strings.TrimRight(strings.TrimSuffix(p, ".git"), "/")
	strange := func(c rune) bool { return c <= ' ' || strings.ContainsRune("@\\\x7f", c) }
	if host == "" || p == "" || strings.ContainsFunc(p, strange) {
		return ""
	}
	return host + "/" + p
}

// split takes scheme://user:password@host:port/path or user@host:path apart.
func split(url string) (host, p string, ok bool) {
	scheme, rest, isURL := strings.Cut(url, "://")
	if !isURL {
		return splitSCP(url)
	}
	switch strings.ToLower(scheme) {
	case "ssh", "git", "http", "https", "ftp", "ftps", "git+ssh", "ssh+git", "git+https", "git+http":
	default:
		return "", "", false // file, and helpers that run programs
	}
	host, p, ok = strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if strings.HasPrefix(host, "[") {
		inside, after, closed := strings.Cut(host[1:], "]")
		return inside, p, ok && closed && (after == "" || isPort(after))
	}
	if colon := strings.IndexByte(host, ':'); colon >= 0 {
		if !isPort(host[colon:]) {
			return "", "", false // a password with a slash in it looks like this
		}
		host = host[:colon]
	}
	return host, p, ok
}

// splitSCP takes [user@]host:path apart. A slash before the colon makes it a path, a single letter a drive, two colons a helper.
func splitSCP(url string) (host, p string, ok bool) {
	if slash := strings.IndexByte(url, '/'); slash >= 0 {
		url = url[strings.LastIndexByte(url[:slash], '@')+1:]
	} else {
		url = url[strings.LastIndexByte(url, '@')+1:]
	}
	if strings.HasPrefix(url, "[") {
		host, p, ok = strings.Cut(url[1:], "]:")
		return host, p, ok
	}
	host, p, ok = strings.Cut(url, ":")
	if !ok || len(host) < 2 || strings.Contains(host, "/") || strings.HasPrefix(p, ":") {
		return "", "", false
	}
	return host, p, true
}

func isPort(s string) bool {
	digits := strings.TrimPrefix(s, ":")
	return len(digits) < len(s) && len(digits) <= 5 && strings.Trim(digits, "0123456789") == ""
}
