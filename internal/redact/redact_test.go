package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// The secrets below are made up and put together here, so that scanners of
// this repository find none.
var (
	pem    = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq1\nx9Zk3Jt0\n-----END RSA " + "PRIVATE KEY-----"
	jwtOne = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"1234567890"}`)) + ".dozjgNryP4J3jVmNHl0w5N"
)

var secrets = []struct{ name, text, secret, kind string }{
	{"private key", pem, "MIIEpAIBAAKCAQEA7bq1", "private-key"},
	{"private key with escaped line breaks", strings.ReplaceAll(pem, "\n", `\n`), "MIIEpAIBAAKCAQEA7bq1", "private-key"},
	{"private key cut off", pem[:60], "MIIEpAIBAAKCAQEA7bq1", "private-key"},
	{"aws key id", "AKIA" + "IOSFODNN7QWERTYU", "IOSFODNN7QWERTYU", "aws-key"},
	{"aws secret", "aws_secret_access_key = " + `"wJalrXUtnFEMI/K7MDENG/bPxRfiCY0123456789"`, "wJalrXUtnFEMI", "api-key"},
	{"aws secret in a credentials file", "aws_secret_access_key=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY0123456789", "wJalrXUtnFEMI", "api-key"},
	{"google key", "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "SyD-9tSrke72", "google-key"},
	{"google token", "ya29." + "a0AfH6SMBx-1234567890abcdefg", "a0AfH6SMBx", "google-token"},
	{"github token", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c", "github-token"},
	{"github fine grained", "github_pat_" + "11ABCDEFG0_abcdefghijklmnop", "11ABCDEFG0", "github-token"},
	{"gitlab token", "glpat-" + "abcDEF123456ghiJKL78", "abcDEF123456", "gitlab-token"},
	{"slack token", "xoxb-" + "123456789012-abcdefABCDEF", "123456789012", "slack-token"},
	{"slack webhook", "https://hooks.slack.com/services/" + "T00000000/B00000000/XXXXyyyyZZZZ0000", "XXXXyyyyZZZZ0000", "slack-webhook"},
	{"stripe key", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "4eC39HqLyj", "stripe-key"},
	{"anthropic key", "sk-ant-" + "api03-abcdefghijklmnopqrst_uv", "abcdefghijklmnop", "anthropic-key"},
	{"openai project key", "sk-proj-" + "abcdefghij1234567890KLMN", "abcdefghij", "openai-key"},
	{"openai key", "sk-" + "abcdefghijklmnopqrstuvwxyz0123456789ABCD", "abcdefghijklm", "openai-key"},
	{"npm token", "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklm", "npm-token"},
	{"npmrc", "//registry.example/:_authToken=" + "00000000-aaaa-bbbb-cccc-111111111111", "aaaa-bbbb", "token"},
	{"pypi token", "pypi-" + "AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAw", "AgEIcHlwaS5v", "pypi-token"},
	{"hugging face token", "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH", "abcdefghijklm", "huggingface-token"},
	{"sendgrid key", "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr", "ngeVfQFYQl", "sendgrid-key"},
	{"digitalocean token", "dop_v1_" + strings.Repeat("0123456789abcdef", 4), "0123456789abcdef", "digitalocean-token"},
	{"vault token", "hvs." + "CAESIJ1234567890abcdefghij", "CAESIJ1234", "vault-token"},
	{"age key", "AGE-SECRET-KEY-1" + strings.Repeat("QPZRY9X8GF2TVDW0", 3), "QPZRY9X8GF2", "age-key"},
	{"jwt", jwtOne, "dozjgNryP4J3", "jwt"},
	{"azure storage", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq==", "Eby8vdM02xNO", "api-key"},
	{"connection string", "postgres://app:" + "s3cr3tPW@db.example:5432/app", "s3cr3tPW", "password"},
	{"redis without user", "redis://:" + "hunter2abc@cache:6379", "hunter2abc", "password"},
	{"basic auth in a url", "https://bob:" + "pa55word@example.com/x", "pa55word", "password"},
	{"bearer header", "Authorization: Bearer " + "abcdef123456", "abcdef123456", "authorization"},
	{"bearer alone", "send Bearer " + "abcdefghij0123456789xyz", "abcdefghij0123", "authorization"},
	{"basic header", "authorization: Basic " + "Ym9iOnBhNTV3b3Jk", "Ym9iOnBhNTV3b3Jk", "authorization"},
	{"curl", "curl -s -u bob:" + "pa55word https://example.com", "pa55word", "password"},
	{"env line", "DB_PASSWORD=" + "correcthorse", "correcthorse", "password"},
	{"env line without underscores", "PGPASSWORD=" + "hunter2x9Q psql", "hunter2x9Q", "password"},
	{"flag", "deploy --token " + "8sdf7sd9f87sdf98sdf --verbose", "8sdf7sd9f87", "token"},
	{"api key header", "curl -H 'X-Api-Key: " + "8sdf7sd9f87sdf98sdf' u", "8sdf7sd9f87", "api-key"},
	{"aws secret with spaces", "[default]\naws_secret_access_key = " + "wJalrXUtnFEMIK7MDENGbPxRfiCY0123456789", "wJalrXUtnFEMI", "api-key"},
	{"env line with export", "export API_KEY=\"" + "k3y-0123456789\"", "k3y-0123456789", "api-key"},
	{"go's dsn of mysql", `open("app:` + "Lems2lHVa5bp93@tcp(127.0.0.1:3306)/app\")", "Lems2lHVa5bp93", "password"},
	{"a default of terraform", "variable \"db_password\" {\n  default = \"" + "c0rrectHorse!9\"\n}", "c0rrectHorse", "password"},
	{"a function of sql", "SET PASSWORD FOR 'bob'@'%' = PASSWORD('" + "blau.Wal.42x');", "blau.Wal", "password"},
	{"a national string", "CREATE LOGIN bob WITH PASSWORD = N'" + "W1nter-Kite%77';", "W1nter-Kite", "password"},
	{"php's pdo", "new PDO('mysql:host=db;dbname=app', 'root', '" + "sup3rS3kr1t!');", "sup3rS3kr1t", "password"},
	{"oracle's thin driver", "jdbc:oracle:thin:scott/" + "T1gerPaw99@//db:1521/orcl", "T1gerPaw99", "password"},
	{"a key in a sentence", "my api key is " + "uVmD0nc78MLiBSL7mrOpnXi2jdjks6N0", "uVmD0nc78", "api-key"},
	{"a psk", `psk="` + `Tr0ub4dor&3x"`, "Tr0ub4dor", "password"},
	{"a secret's string", "secret_string = \"" + "Tr0ub4dor&3x\"", "Tr0ub4dor", "secret"},
	{"azure's vault", "az keyvault secret set --name db --value '" + "m0nkeyWrench_8'", "m0nkeyWrench", "password"},
	{"a kubernetes secret", "apiVersion: v1\ndata:\n  conn: " + "d2ludGVya2l0ZS03Ny1sZW1vbg==\nkind: Secret\nmetadata:\n  name: db\n", "d2ludGVy", "secret"},
	{"a kubernetes secret in a list", "items:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: db\n  stringData:\n    a: x1\n    conn: " + "winterkite77\n- apiVersion: v1\n", "winterkite77", "secret"},
	{"yaml line", "db:\n  password: " + "Tr0ub4dor3\n", "Tr0ub4dor3", "password"},
	{"go literal", `dbPassword := "` + `hunter2real"`, "hunter2real", "password"},
	{"python literal", `password = '` + `hunter2real'`, "hunter2real", "password"},
	{"json in text", `{"user":"bob","password":"` + `hunter2real"}`, "hunter2real", "password"},
	{"escaped json in text", `"{\"client_secret\":\"` + `abcd1234efgh\"}"`, "abcd1234efgh", "secret"},
	{"sshpass", "sshpass -p " + "tr0ub4dor ssh bob@host", "tr0ub4dor", "password"},
	{"mysql", "mysql -u root -p" + "hunter2real app", "hunter2real", "password"},
	{"mysqldump behind a pipe", "cat f | mysqldump -p'" + "hunter2real' app", "hunter2real", "password"},
	{"redis-cli", "redis-cli -h cache -a " + "hunter2real ping", "hunter2real", "password"},
	{"docker login", "docker login -u bob -p " + "hunter2real registry.example", "hunter2real", "password"},
	{"ldap", "ldapsearch -D cn=admin -w " + "hunter2real -b dc=x", "hunter2real", "password"},
	{"netrc", "machine api.example login bob password " + "hunter2real", "hunter2real", "password"},
	{"netrc over lines", "machine api.example\nlogin bob\npassword " + "hunterreal", "hunterreal", "password"},
	{"a sentence with a colon", "log in as bob, password: " + "hunter2real", "hunter2real", "password"},
	{"printed", "Error: rejected, Password: " + "hunter2real (try again)", "hunter2real", "password"},
	{"a sentence", "The password is " + "hunter2real.", "hunter2real", "password"},
	{"a sentence with a token", "your access token was '" + "8sdf7sd9f87sdf98sdf', keep it", "8sdf7sd9f87", "token"},
	{"cookie header", "Cookie: sid=" + "s3ss10nabcdef0123; theme=dark", "s3ss10nabcdef", "cookie"},
	{"set-cookie header", "< set-cookie: session=" + "eyJpZCI6MTIzNDU2Nzg5MH0; Path=/", "eyJpZCI6MTIz", "cookie"},
	{"cookie of curl", "curl -H 'Cookie: auth=" + "abcdef0123456789' u", "abcdef0123456789", "cookie"},
	{"telegram token", "bot 110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw" + "z", "AAHdqTcvCH1v", "telegram-token"},
	{"shopify token", "shpat_" + strings.Repeat("0a1b2c3d", 4), "0a1b2c3d0a1b", "shopify-token"},
	{"docker token", "dckr_pat_" + "abcdefghijklmnopqrstuvwx", "abcdefghijkl", "docker-token"},
	{"google client secret", "GOCSPX-" + "abcdefghijklmnopqrstuvwx1", "abcdefghijkl", "google-secret"},
	{"databricks token", "dapi" + strings.Repeat("0a1b2c3d", 4), "0a1b2c3d0a1b", "databricks-token"},
	{"openrouter key", "sk-or-v1-" + strings.Repeat("0a1b2c3d", 8), "0a1b2c3d0a1b", "openrouter-key"},
	{"grafana token", "glsa_" + "abcdefghijklmnopqrstuvwxyzABCDEF_01234567", "abcdefghijkl", "grafana-token"},
	{"a token glued to a word", "backup_ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c", "github-token"},
	{"a token glued with a dash", "key-AKIA" + "IOSFODNN7QWERTYU", "IOSFODNN7QWERTYU", "aws-key"},
	{"pgp key", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\nlQVYBGNhbXBsZQEMAKy9\nzZk3\n-----END PGP " + "PRIVATE KEY BLOCK-----", "lQVYBGNhbXBsZQEMAKy9", "private-key"},
	{"openssh key", "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH " + "PRIVATE KEY-----", "b3BlbnNzaC1rZXktdjEA", "private-key"},
	{"sql server", "Server=db;User Id=sa;Password=" + "correcthorse;Encrypt=true", "correcthorse", "password"},
	{"query without digits", "https://example.com/cb?client_secret=" + "correcthorse", "correcthorse", "secret"},
	{"mongodb", "mongodb+srv://app:" + "s3cr3tPW@cluster.example/app?retryWrites=true", "s3cr3tPW", "password"},
	{"amqp", "amqp://guest:" + "gu3stpw@mq:5672/", "gu3stpw", "password"},
	{"azure devops", "export AZURE_DEVOPS_EXT_PAT=" + "x7k2mq4vhd5tjy3nwr6bpzf2ca7seglu4oixk3mqvhd5tjy3nwra", "x7k2mq4vhd5tj", "azure-token"},
	{"azure devops, handed on", "echo " + "x7k2mq4vhd5tjy3nwr6bpzf2ca7seglu4oixk3mqvhd5tjy3nwra | az devops login", "x7k2mq4vhd5tj", "azure-token"},
	{"azure devops, 84 characters", "got " + strings.Repeat("9FkQ2vXk4LpR7tYw9Zs", 4) + "AZDO" + "2xYz", "9FkQ2vXk4LpR", "azure-token"},
	{"asana", "use 1/" + "1204567890123456:8d7f6e5c4b3a29180716f5e4d3c2b1a0", "8d7f6e5c4b3a", "asana-token"},
	{"asana, two ids", "use 2/" + "1204567890123456/1207654321098765:8d7f6e5c4b3a29180716f5e4d3c2b1a0", "8d7f6e5c4b3a", "asana-token"},
	{"google refresh token", "got 1//" + "0gK3xYz9AbCdECgYIARAAGBASNwF-L9IrmNoPqRsTuVwXyZ0123456789", "0gK3xYz9AbCd", "google-token"},
	{"a url with #", "postgres://app:" + "pa#ssW0rd@db.example:5432/app", "ssW0rd", "password"},
	{"a url with # first", "mysql://app:" + "#S3#cr#et!@db", "cr#et", "password"},
	{"expect", "spawn su\nexpect \"assword:\"\nsend \"" + `hunter2x9\r"`, "hunter2x9", "password"},
	{"expect in a block", "expect {\n \"yes/no\" { send \"yes\\r\"; exp_continue }\n \"*?assword:*\" { send -- \"" + `correct horse\r" }`, "correct horse", "password"},
	{"pexpect", "child.expect('Password:')\nchild.sendline('" + "hunter2x9')", "hunter2x9", "password"},
	{"query", "https://example.com/cb?access_token=" + "abc123def456&x=1", "abc123def456", "token"},
}

func TestTextTakesSecretsOut(t *testing.T) {
	for _, c := range secrets {
		for _, around := range []struct{ name, before, after string }{{"alone", "", ""}, {"within", "log line\n", "\nnext line"}} {
			t.Run(c.name+"/"+around.name, func(t *testing.T) {
				got, n := Text(around.before + c.text + around.after)
				if strings.Contains(got, c.secret) || n == 0 {
					t.Fatalf("got %d findings in %q, want %q gone", n, got, c.secret)
				}
				if !strings.Contains(got, "[REDACTED:"+c.kind+"]") {
					t.Errorf("got %q, want the kind %s", got, c.kind)
				}
				if !strings.HasPrefix(got, around.before) || !strings.HasSuffix(got, around.after) {
					t.Errorf("got %q, want what stands around to stay", got)
				}
			})
		}
	}
}

func TestJSONTakesSecretsOut(t *testing.T) {
	for _, c := range secrets {
		value, _ := json.Marshal(c.text)
		for _, form := range []struct{ name, doc string }{
			{"value", `{"note":` + string(value) + `,"n":1.50}`},
			{"key", `{"n":1.50,` + string(value) + `:1}`},
			{"escaped", `{"n":1.50,"note":` + escapeAll(c.text) + `}`},
			{"deep", `{"n":1.50,"a":[{"b":[` + string(value) + `]}]}`},
		} {
			t.Run(c.name+"/"+form.name, func(t *testing.T) {
				got, n, err := JSON([]byte(form.doc))
				if err != nil || n == 0 {
					t.Fatalf("got %d findings, %v", n, err)
				}
				var decoded any
				if err := json.Unmarshal(got, &decoded); err != nil {
					t.Fatalf("got %s: %v", got, err)
				}
				plain, _ := json.Marshal(decoded)
				if strings.Contains(string(plain), strings.Trim(string(must(json.Marshal(c.secret))), `"`)) {
					t.Errorf("got %s, want %q gone", plain, c.secret)
				}
				if !strings.Contains(string(got), "1.50") {
					t.Errorf("got %s, want the number as it was spelled", got)
				}
			})
		}
	}
}

func must(b []byte, _ error) []byte { return b }

// escapeAll spells every character as an escape, so that only decoding helps.
func escapeAll(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		b.WriteString(`\u00` + string("0123456789abcdef"[r>>4]) + string("0123456789abcdef"[r&15]))
	}
	b.WriteByte('"')
	return b.String()
}

// What looks like the beginning of a mark hides nothing.
func TestTextBehindAMark(t *testing.T) {
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, before := range []string{"[REDACTED: ", "[REDACTED:", "x: [REDACTED:env][REDACTED: ", "[REDACTED:env ", "[REDACTED:env] ", "password: [REDACTED:\n"} {
		got, n := Text(before + token + " x")
		if n != 1 || strings.Contains(got, token[4:]) {
			t.Errorf("behind %q: got %q, %d, want the token taken out", before, got, n)
		}
	}
}

func TestTextLeavesTheRest(t *testing.T) {
	for name, text := range map[string]string{
		"commit id":             "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"uuid":                  "6152e381-4c21-432b-8da3-8b6a5782ebeb",
		"sha256":                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha512":                strings.Repeat("cf83e1357eefb8bd", 8),
		"go.sum":                "github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=\ngithub.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=",
		"package lock":          `"integrity": "sha512-9KxPXmZFYqQ5dJ4QqIQv1dBDMFhQ0iQ3qQ0ZL5mD6oI6a6Xo0CIqkU6Fj0l0mY3k0b9U9hVQ1n1q2Yw7A=="`,
		"tool use id":           "toolu_01A09q90qw90lq917835lq9 call_abc123DEF456ghi789 msg_01XFDUDYJgAACzvnptvVoYEL chk_7m2k9x4q0v8r3t5w",
		"image":                 "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"raw base64":            strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", 8) + "==",
		"fragments":             "http://localhost:8080#a@b http://host:80/#a@b https://docs.example/x#y@z http://[::1]:80#a@b",
		"base 32":               "sha256:x7k2mq4vhd5tjy3nwr6bpzf2ca7seglu4oixk3mqvhd5tjy3nwra in bazel-out",
		"a page of pages":       "see 1/1204567890:12 and 2/3:8d7f6e5c4b3a29180716f5e4d3c2b1a0, http://x.example/1//0gK3xYz9",
		"what is sent":          "if (!password) return res.status(400).send('Password is required\\n'); expect(password).toBe(1); res.send('created for 9\\n')",
		"an answer of expect":   "expect \"change the password? \"\nsend \"yes\\r\"\nexpect \"assword:\"\nsend \"$pw\\r\"\nexpect \"assword:\"\nsend \"[lindex $argv 0]\\r\"",
		"reading a variable":    `password := os.Getenv("DB_PASSWORD")`,
		"a function":            "func token() string { return secret }",
		"a comparison":          `if token == "" || password != "abcdefgh12" {`,
		"an assignment":         "self.password = password",
		"a keyword argument":    "connect(password=password, token=token)",
		"a type":                "type Secret struct { Token string }\npassword: string;\n  token: Option<String>,",
		"node":                  "const apiKey = process.env.API_KEY",
		"a call":                "secret = load_secret()",
		"prose":                 "the password is stored in vault; use a token: see docs. The secret: patience.",
		"paths":                 "/home/dev/token/password.go secret=/run/secrets/db ./key",
		"urls":                  "http://host:8080/path@v1 git@github.com:org/repo https://example.com/a:b@c ssh://git@github.com/x",
		"modules":               "github.com/spf13/cobra@v1.10.2 @scope/name@1.0.0 bob@example.com",
		"placeholders":          "password=changeme API_KEY=your-api-key-here TOKEN=${TOKEN} SECRET=<secret> PASSWORD=$PASS token: {{ token }}",
		"counts":                `max_tokens=100 "token_usage": {"input": 5} tokens: 100`,
		"names":                 `password_file=/etc/pw secret_name: "my-db-credentials-1" tokenizer: "cl100k_base" next_page_token: "abc123def456"`,
		"shell":                 `curl -u "$USER:$PASS" https://x; TOKEN=$(cat f); echo "PASSWORD=$PASSWORD"`,
		"public key":            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----",
		"already taken out":     "DB_PASSWORD=[REDACTED:password] [REDACTED:jwt]",
		"a word with sk":        "task-scheduler risk-assessment sk-learn",
		"nothing":               "",
		"not utf-8":             "caf\xe9 \xff\xfe",
		"a keyed header":        "Content-Type: application/json\nX-Request-Id: 12345678",
		"swift":                 "let token: String = makeToken()",
		"an error message":      `errors.New("password: must have at least 8 characters")`,
		"css":                   "a:hover{color:red} .token:before{content:''}",
		"a working directory":   "PWD=/home/dev/project",
		"a jwt-like word":       "eyJust.a.word",
		"session key of ours":   "session_id=6152e381-4c21-432b-8da3-8b6a5782ebeb",
		"flags of programs":     "go test --token-file x --password-file=y --token $TOKEN --max-tokens 100 --secret production",
		"code with spaces":      "password = get_password1()\ntoken = tokens[0]\nsecret = other.secret2",
		"go test -run password": "go test -run TestPassword ./...",
		"options of others":     "mkdir -p build/out1 && cp -a dir1 dir2; tar -p1 x; docker run -p 8080:80 img; ssh -p 2222 host; mysql -pwd -p; grep -a token1 f; zip -r x.zip a1",
		"sentences":             "The token is invalid. The password is required; the secret is in vault2.example. The password was changed on 2026-01-02. The key is to wait. The API token is ${TOKEN}.",
		"cookies of cooks":      "Cookie: chocolate\nA cookie: 3 eggs, 200 g flour = 1 batch of 12345678901234",
		"times and ports":       "12345678:90 at 20260102:120000 host123456789:8080 sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"other manifests":       "apiVersion: v1\nkind: ConfigMap\ndata:\n  conn: d2ludGVya2l0ZS03Ny1sZW1vbg==\n---\nkind: Secret\nmetadata:\n  name: winterkite77\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  a: winterkite77\n",
		"a reference to one":    "secretName: db\nkind: Secret\n",
		"dsns without password": `fmt.Sprintf("%s:%s@tcp(%s:%d)/%s", user, pass, host, port, db); open("root:@tcp(127.0.0.1)/x"); net.Dial("tcp", addr)`,
		"defaults of terraform": "variable \"region\" {\n  default = \"eu-west-1\"\n}\nvariable \"db_password\" {\n  type = string\n}\nvariable \"size\" {\n  default = \"t3.micro2\"\n}",
		"keys in sentences":     "the primary key is composite1; the API key is required; the foreign key is user_id2",
		"long names":            "test_that_the_password_reset_token_is_sent_by_mail-and-not-by-sms sk-learn_pipeline_with_a_long_name",
		"a login":               "the login page asks for the password twice; login form: password reset",
		"parameters":            "f(a; token=next) ?page=2&token=abc http://x/y?next_token=abcdefgh1&sort=key",
		"dapi":                  "dapi dapicker dapi_client api/dapi/v1",
	} {
		t.Run(name, func(t *testing.T) {
			if got, n := Text(text); n != 0 || got != text {
				t.Errorf("got %d findings: %q", n, got)
			}
		})
	}
}

func TestJSONByKey(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"password", `{"password":"a b"}`, `{"password":"[REDACTED:password]"}`},
		{"camel case", `{"githubToken" : "zz9zzz8"}`, `{"githubToken" : "[REDACTED:token]"}`},
		{"escaped key", `{"pass\u0077ord":"abc"}`, `{"pass\u0077ord":"[REDACTED:password]"}`},
		{"placeholder", `{"password":"${PASSWORD}","token":""}`, `{"password":"${PASSWORD}","token":""}`},
		{"numbers stay", `{"token":12,"secret":true,"password":null}`, `{"token":12,"secret":true,"password":null}`},
		{"usage stays", `{"token_usage":{"input":5},"max_tokens":"many"}`, `{"token_usage":{"input":5},"max_tokens":"many"}`},
		{"the next member is free", `{"password":{"x":"y"},"note":"z"}`, `{"password":{"x":"y"},"note":"z"}`},
		{"spelling stays", "{ \"a\" : 1e400 , \"b\":\"\\u00e9\\/\", \"secret\":\"q8r7s6\" }", "{ \"a\" : 1e400 , \"b\":\"\\u00e9\\/\", \"secret\":\"[REDACTED:secret]\" }"},
		{"equal keys are numbered", `{"` + "ghp_" + `16C7e42F292c6912E7710c83":1,"` + "ghp_" + `99C7e42F292c6912E7710c83":2,"` + "ghp_" + `77C7e42F292c6912E7710c83":3}`, `{"[REDACTED:github-token]":1,"[REDACTED:github-token]#2":2,"[REDACTED:github-token]#3":3}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := JSON([]byte(c.doc))
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestJSONRefusesWhatIsNone(t *testing.T) {
	for _, doc := range []string{`{"a":"b`, `{"a"]`, `{`, `"\u12"`} {
		if _, _, err := JSON([]byte(doc)); err == nil {
			t.Errorf("%q: got no error", doc)
		}
	}
}

func TestTwiceChangesNothingMore(t *testing.T) {
	parts := []string{" ", "\n", "=", ":", `"`, "'", `\`, `\n`, "@", "://", "password", "token", "Bearer", "curl -u a", "1", "x", "."}
	for _, s := range secrets {
		parts = append(parts, s.text)
	}
	for _, file := range []string{"secrets.txt", "clean.txt"} {
		for _, s := range readCorpus(t, file) {
			parts = append(parts, s.text)
		}
	}
	draw.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		once, _ := Text(text)
		if twice, n := Text(once); n != 0 {
			t.Fatalf("%q became %q, then %q", text, once, twice)
		}
	})
}

func TestJSONTwiceChangesNothingMore(t *testing.T) {
	var parts []string
	for _, file := range []string{"secrets.txt", "clean.txt"} {
		for _, s := range readCorpus(t, file) {
			if s.isJSON {
				parts = append(parts, s.text)
				continue
			}
			b, _ := json.Marshal(s.text)
			parts = append(parts, string(b))
		}
	}
	keys := []string{"password", "secrets", "name", "value", "args", "command", "x", "token", "headers", "auth", "credentials"}
	draw.Check(t, func(t *rapid.T) {
		var doc func(depth int) string
		doc = func(depth int) string {
			switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
			case depth == 0 || kind < 3:
				return rapid.SampledFrom(parts).Draw(t, "part")
			case kind == 3:
				var all []string
				for range rapid.IntRange(0, 4).Draw(t, "n") {
					all = append(all, doc(depth-1))
				}
				return "[" + strings.Join(all, ",") + "]"
			}
			var all []string
			for range rapid.IntRange(0, 4).Draw(t, "n") {
				all = append(all, `"`+rapid.SampledFrom(keys).Draw(t, "key")+`":`+doc(depth-1))
			}
			return "{" + strings.Join(all, ",") + "}"
		}
		text := doc(3)
		once, _, err := JSON([]byte(text))
		if err != nil || !json.Valid(once) {
			t.Fatalf("%s became %s, %v", text, once, err)
		}
		if twice, n, err := JSON(once); n != 0 || err != nil {
			t.Fatalf("%s became %s, then %s, %v", text, once, twice, err)
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a":["b",{"password":"c"}]}`)
	f.Fuzz(func(t *testing.T, doc string) {
		got, _, err := JSON([]byte(doc))
		if json.Valid([]byte(doc)) && (err != nil || !json.Valid(got)) {
			t.Fatalf("%q became %q, %v", doc, got, err)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("before ", " after")
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	f.Fuzz(func(t *testing.T, before, after string) {
		got, n := Text(before + " " + secret + " " + after)
		if strings.Contains(got, secret) || n == 0 {
			t.Fatalf("got %q", got)
		}
	})
}

func BenchmarkPlainText(b *testing.B) {
	text := strings.Repeat("func (s *Store) Append(ctx context.Context, p piton.Prepared) error { return nil } // a comment\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}

func BenchmarkAdversary(b *testing.B) {
	for name, text := range map[string]string{
		"colons": strings.Repeat("password:", 100_000), "begins": strings.Repeat("-----BEGIN RSA PRIVATE KEY ", 40_000),
		"urls": strings.Repeat("://a:b", 100_000), "jwts": strings.Repeat("eyJ.", 200_000), "quotes": strings.Repeat(`password="`, 100_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}

// TestKeysInOtherForms: a key of PuTTY's, and a key whose lines are members of the
// elements of a list, as a text and as a document.
func TestKeysInOtherForms(t *testing.T) {
	const a, b, last = "AAAAB3NzaC1yc2EAAAADAQABAAABAQC7bq1x9Zk3Jt0abcd", "MIIEpAIBAAKCAQEA7bq1x9Zk3Jt0abcdABCD0123456789", "x9Zk3Jt0="
	putty := "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 1\n" + a + "\nPrivate-" + "Lines: 2\n" + b + "\n" + last + "\nPrivate-MAC: 0a1b\n"
	begin, end := "-----BEGIN EC "+"PRIVATE KEY-----", "-----END EC "+"PRIVATE KEY-----"
	objects := `[{"n":1,"line":"` + begin + `","at":"12:00"},{"line":"` + b + `"},{"at":"12:01","line":"` + last + `"},{"line":"` + end + `"},{"line":"abcdefghijklmnop"}]`
	for name, text := range map[string]string{
		"PuTTY":                      putty,
		"PuTTY, CR LF":               strings.ReplaceAll(putty, "\n", "\r\n"),
		"PuTTY, indented":            strings.ReplaceAll(putty, "\n", "\n  "),
		"PuTTY, escaped":             strings.ReplaceAll(putty, "\n", `\n`),
		"PuTTY in JSON":              `{"file":"` + strings.ReplaceAll(putty, "\n", `\n`) + `"}`,
		"PuTTY as a list":            `["` + strings.ReplaceAll(strings.TrimSpace(putty), "\n", `","`) + `"]`,
		"PuTTY as a list of objects": `[{"l":"` + strings.ReplaceAll(strings.TrimSpace(putty), "\n", `"},{"l":"`) + `"}]`,
		"PEM as a list of objects":   objects,
		"the same in a text":         "got " + objects + " from it",
	} {
		outs := map[string]string{}
		outs["text"], _ = Text(text)
		if doc, _, err := JSON([]byte(text)); err == nil && strings.IndexByte("[{", text[0]) >= 0 {
			outs["document"] = string(doc)
		}
		for how, out := range outs {
			if strings.Contains(out, b) || strings.Contains(out, last) || !strings.Contains(out, "[REDACTED:private-key]") {
				t.Errorf("%s as a %s: got %s", name, how, out)
			}
			harmless := strings.Contains(out, "Private-MAC: 0a1b") || strings.Contains(out, `{"line":"abcdefghijklmnop"}`)
			if public := strings.Contains(out, a) || strings.Contains(out, "12:01"); !public || !harmless {
				t.Errorf("%s as a %s: got %s, want the rest to stay", name, how, out)
			}
		}
	}
	known, _ := Known(putty)
	if strings.Contains(known, b) {
		t.Errorf("got %s of a name", known)
	}
	for _, text := range []string{"Private-Lines: 14 of them", "Private-Lines: 2\n\n--", `[{"line":"` + begin + `"},{"other":"abcdefghijklmnop"}]`} {
		if out, n := Text(text); n > 0 {
			t.Errorf("got %s of %s", out, text)
		}
	}
}

// TestElements: no program stands in an element, and so what reads like a type's name is
// a password there.
func TestElements(t *testing.T) {
	for text, secret := range map[string]bool{
		"<password>tbpvom" + "GIyLza</password>": true, "<c><db:password>tbpvom" + "GIyLza</db:password></c>": true, "DB_PASSWORD=tbpvom" + "GIyLza": true,
		"<password>UserPassword</password>": false, "<password>string</password>": false, "<token>NonEmptyString</token>": false, "<password>$PASSWORD</password>": false,
		"password: tbpvomGIyLza": false, "<password>Enter your words</password>": false,
	} {
		if out, n := Text(text); n > 0 != secret {
			t.Errorf("got %s of %s", out, text)
		}
	}
}
