package redact

import (
	"slices"
	"strings"
	"testing"
)

// exactly are a text and what becomes of it: § stands for a token in the first and for
// its mark in the second, ~ for the mark of a password.
var exactly = []struct{ text, want string }{
	{"{\"a\": \"b\n[{\"password\":\"hunter2real\"}", "{\"a\": \"b\n[{\"password\":\"~\"}"},
	{"password=\x1b[5xhunter2real", "password=\x1b[5xhunter2real"},
	{`\u001bDB_PASSWORD=hunter2real`, `\u001bDB_PASSWORD=~`},
	{"\x1b[1mDB_PASSWORD\x1b[0m=hunter2real", "\x1b[1mDB_PASSWORD\x1b[0m=~"},
	{"x%3D§ \\u001b[32m§ [32m§ %2Fbackup_§", "x%3D§ \\u001b[32m§ [32m§ %2Fbackup_§"},
	{"%3Ddapi" + strings.Repeat("0a1b2c3d", 4), "%3D[REDACTED:databricks-token]"},
	{"[32mdapi" + strings.Repeat("0a1b2c3d", 4), "[32m[REDACTED:databricks-token]"},
	{"backup_dapi" + strings.Repeat("0a1b2c3d", 4), "backup_[REDACTED:databricks-token]"},
	{"Ddapi" + strings.Repeat("0a1b2c3d", 4), "Ddapi" + strings.Repeat("0a1b2c3d", 4)},
	{"kind: Secret\ndata:\n  a: winterkite77\n  : x\n", "kind: Secret\ndata:\n  a: [REDACTED:secret]\n  : x\n"},
	{"keyAKIA" + "IOSFODNN7QWERTYU", "key[REDACTED:aws-key]"},
	{"xAIzaSy" + "D-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "x[REDACTED:google-key]"},
	{"x" + jwtOne, "x[REDACTED:jwt]"},
	{"-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\nlQVYBGNhbXBsZQEMAKy9ABCDEFGH", "[REDACTED:private-key]"},
	{"-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq1\nx9Zk\n-----END nothing", "[REDACTED:private-key]x9Zk\n-----END nothing"},
	{"-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq1\nab cd", "[REDACTED:private-key]ab cd"},
	{"password: correct horse battery:", "password: correct horse battery:"},
	{"password = 'your password'", "password = 'your password'"},
	{"password: x 1: y", "password: ~"},
	{"DB_PASSWORD = hunterreal", "DB_PASSWORD = hunterreal"},
	{"password=dbAdminPassword", "password=dbAdminPassword"},
	{`\u0022token=Zx81kqpL0abc9`, `\u0022token=[REDACTED:token]`},
	{`\u0022MY_SECRET=hunterreal`, `\u0022MY_SECRET=[REDACTED:secret]`},
	{"send Bearer abcdefghij0123456789xyz", "send Bearer [REDACTED:authorization]"},
	{"x\n  PASSWORD: hunterreal\n", "x\n  PASSWORD: ~\n"},
	{"PASSWORD: hunterreal and more\n", "PASSWORD: hunterreal and more\n"},
	{"Password 'correct-horse'", "Password '~'"},
	{"user_pass_word=hunter2real", "user_pass_word=~"},
	{"password:\n  cost12345abc\n", "password:\n  cost12345abc\n"},
	{"password: |\n  cost12345abc\n", "password: |\n  ~\n"},
	{"gh secret set DB <<EOF\nhunter2real\nEOF\n", "gh secret set DB <<EOF\n[REDACTED:secret]\nEOF\n"},
	{"Authorization: Digest hunter2real9x", "Authorization: Digest [REDACTED:authorization]"},
	{`see {"password":94789732} and {"token":12}`, `see {"password":"~"} and {"token":12}`},
	{`see {"a":{"password":[{"result":"Xk29fQpwZ8aa"}]}}`, `see {"a":{"password":[{"result":"~"}]}}`},
	{`see {"cookies":[{"name":"sid","value":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"}]}`, `see {"cookies":[{"name":"sid","value":"[REDACTED:cookie]"}]}`},
	{`see {"cookies":[{"name":"sid","value":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"}],"more":[{"a":"x, y`, `see {"cookies":[{"name":"sid","value":"[REDACTED:cookie]"}],"more":[{"a":"x, y`},
	{`see {"a":{"password":["x12Zq04kW","Xk29fQpwZ8`, `see {"a":{"password":["~","~`},
	{`see {"a":{"password":["x12Zq04kW"],"b`, `see {"a":{"password":["~"],"b`},
	{`see {"password":"Zq7kW8vR3xLm`, `see {"password":"~`},
	{"cut off behind -----BEGIN RSA " + "PRIVATE KEY-----", "cut off behind -----BEGIN RSA " + "PRIVATE KEY-----"},
}

// exactDocuments are documents, what becomes of them, and where.
var exactDocuments = []struct {
	doc, want string
	paths     []string
}{
	{`{"value":"Zx81kqpL0","note":"§","sensitive":true}`, `{"value":"[REDACTED:secret]","note":"§","sensitive":true}`, []string{"/value", "/note"}},
	{`["mysql","-pTr0ub4dor3x","§"]`, `["mysql","-p~","§"]`, []string{"/1", "/2"}},
	{`["redis-cli","\u002da","\u0068unter2real9"]`, `["redis-cli","\u002da","~"]`, []string{"/2"}},
	{`["curl","-ubob:pa55w0rd,§","§"]`, `["curl","-ubob:~,§","§"]`, []string{"/1", "/1", "/2"}},
	{`["curl","-d","it's","-u","bob:pa55w0rd"]`, `["curl","-d","it's","-u","bob:~"]`, []string{"/4"}},
	{`["curl","-u","bob:pa55w0rd it's"]`, `["curl","-u","bob:pa55w0rd it's"]`, nil},
	{`{"\ud800":"§"}`, `{"\ud800":"§"}`, []string{`/\ud800`}},
	{`{"` + strings.Repeat("k", 81) + `":"§"}`, `{"` + strings.Repeat("k", 81) + `":"§"}`, []string{"/" + strings.Repeat("k", 80) + "…"}},
	{strings.Repeat("[", 65) + `"§"` + strings.Repeat("]", 65), strings.Repeat("[", 65) + `"§"` + strings.Repeat("]", 65), []string{strings.Repeat("/0", 64) + "/…"}},
	{`"\ud800 §"`, "\"\uFFFD §\"", []string{""}},
	{`{"command":"mysql\n","args":["-phunter2real"]}`, `{"command":"mysql\n","args":["-phunter2real"]}`, nil},
	{`{"value":"Tr0ub4dor3x","name":"DB_PASSWORD"}`, `{"value":"~","name":"DB_PASSWORD"}`, []string{"/value"}},
	{`{"name":"DB_PASSWORD","value":"Tr0ub4dor3x"}`, `{"name":"DB_PASSWORD","value":"~"}`, []string{"/value"}},
	{`{"key":"Tr0ub4dor3x","encryption":{"key":"Tr0ub4dor3x9"}}`, `{"key":"Tr0ub4dor3x","encryption":{"key":"[REDACTED:secret]"}}`, []string{"/encryption/key"}},
	{`{"random_password":{"result":"Tr0ub4dor3x"}}`, `{"random_password":{"result":"~"}}`, []string{"/random_password/result"}},
	{`{"instances":[{"attributes":{"result":"Tr0ub4dor3x"}}],"type":"random_password"}`, `{"instances":[{"attributes":{"result":"~"}}],"type":"random_password"}`, []string{"/instances/0/attributes/result"}},
	{`{"type":"db_password","result":"Tr0ub4dor3x","x":{"result":"Tr0ub4dor3x"}}`, `{"type":"db_password","result":"Tr0ub4dor3x","x":{"result":"Tr0ub4dor3x"}}`, nil},
}

// TestExactly: what becomes of forms that the corpora do not have.
func TestExactly(t *testing.T) {
	t.Parallel()
	secret := strings.NewReplacer("§", "ghp_"+"16C7e42F292c6912E7710c838347Ae178B4a")
	marks := strings.NewReplacer("§", "[REDACTED:github-token]", "~", "[REDACTED:password]")
	for _, c := range exactly {
		if got, _ := Text(secret.Replace(c.text)); got != marks.Replace(c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
	for _, c := range exactDocuments {
		got, paths, err := (*Rules)(nil).Find([]byte(secret.Replace(c.doc)))
		if string(got.value) != marks.Replace(c.want) || !slices.Equal(paths, c.paths) || err != nil {
			t.Errorf("%.200s: got %.200s at %q (%v), want %.200s at %q", c.doc, got.value, paths, err, c.want, c.paths)
		}
	}
	for _, doc := range []string{strings.Repeat("[", maxDepth+1), "[", "[}", `"\u12"`, `"a`} {
		if _, _, err := (*Rules)(nil).Find([]byte(doc)); err == nil {
			t.Errorf("%.20s: got no error", doc)
		}
	}
}

// TestNeighbours: who looks at a part of a document alone takes some containers whole.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"args": true, "Name": true, "value": true, "title": false, "": false} {
		if got := Neighbours(name); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}
