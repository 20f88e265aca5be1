package archive

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// roles answers as Amazon's services for keys do.
func roles(t *testing.T) string {
	t.Helper()
	const keys = `{"Code":"Success","AccessKeyId":"role-id","SecretAccessKey":"role-secret","Token":"role-token","Expiration":"2099-01-01T00:00:00Z"}`
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "pass") })
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "my-role\n") })
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/my-role", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Aws-Ec2-Metadata-Token") != "pass" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, keys)
	})
	mux.HandleFunc("GET /container", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "pass" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, keys)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("WebIdentityToken") != "pass" || r.FormValue("RoleArn") != "arn:my-role" {
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>token-id</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// TestFind: where keys come from, and what comes first.
func TestFind(t *testing.T) {
	service := roles(t)
	for _, c := range []struct {
		name, config, credentials string
		env                       map[string]string
		want                      string // id, secret and token, or a part of the error
	}{
		{"the environment before all else", "", "[default]\naws_access_key_id=f\naws_secret_access_key=f", map[string]string{"AWS_ACCESS_KEY_ID": "i", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"}, "i s t"},
		{"MinIO's names have no token", "", "", map[string]string{"MINIO_ROOT_USER": "i", "MINIO_ROOT_PASSWORD": "s", "AWS_SESSION_TOKEN": "t"}, "i s "},
		{"half of a pair in the environment is none", "", "[default]\naws_access_key_id=f\naws_secret_access_key=g", map[string]string{"AWS_ACCESS_KEY_ID": "i"}, "f g "},
		{"a file with remarks and other names", "", "# mine\n[other]\naws_access_key_id = x\n[default]\r\n aws_access_key_id = f # the id\r\naws_secret_access_key = g+h/i=\r\n", nil, "f g+h/i= "},
		{"the profile that the environment names", "[profile work]\naws_session_token = c\naws_secret_access_key = old", "[work]\naws_access_key_id = f\naws_secret_access_key = g", map[string]string{"AWS_PROFILE": "work"}, "f g c"},
		{"a profile with half of a pair", "", "[default]\naws_access_key_id = f", nil, "partial static credentials"},
		{"a program that prints them", "[default]\ncredential_process = /bin/echo {\"Version\":1,\"AccessKeyId\":\"p\",\"SecretAccessKey\":\"q\",\"SessionToken\":\"r\"}", "", nil, "p q r"},
		{"a program that prints none", "[default]\ncredential_process = /bin/echo secret-text", "", nil, "the keys cannot be read"},
		{"a program that fails", "[default]\ncredential_process = /bin/false x", "", nil, "the keys cannot be read: exit status 1"},
		{"a profile that signs in by SSO", "[default]\nsso_session = x", "", nil, "SSO"},
		{"the machine's role", "", "", map[string]string{"AWS_EC2_METADATA_SERVICE_ENDPOINT": service + "/"}, "role-id role-secret role-token"},
		{"the machine is not to be asked", "", "", map[string]string{"AWS_EC2_METADATA_SERVICE_ENDPOINT": service, "AWS_EC2_METADATA_DISABLED": "true"}, "  "},
		{"no machine of Amazon's", "", "", map[string]string{"AWS_EC2_METADATA_SERVICE_ENDPOINT": service + "/nothing"}, "  "},
		{"a container's role", "", "", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": service + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "pass"}, "role-id role-secret role-token"},
		{"a container without its token", "", "", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": service + "/container"}, "401"},
		{"a container's address elsewhere", "", "", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/container"}, "not a loopback address"},
		{"a pod's token", "", "", map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "TOKEN", "AWS_ROLE_ARN": "arn:my-role", "AWS_ENDPOINT_URL_STS": service + "/token"}, "token-id s t"},
		{"a pod's token for another role", "", "", map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "TOKEN", "AWS_ROLE_ARN": "arn:other", "AWS_ENDPOINT_URL_STS": service + "/token"}, "the keys cannot be read"},
		{"a pod's token that is not there", "", "", map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "/nonexistent/token"}, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bare(t)
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			for path, text := range map[string]string{".aws/config": c.config, ".aws/credentials": c.credentials, "token": "pass"} {
				if text == "" {
					continue
				}
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for name, value := range c.env {
				t.Setenv(name, strings.Replace(value, "TOKEN", filepath.Join(dir, "token"), 1))
			}
			keys, err := (&keys{}).Retrieve()
			got := keys.AccessKeyID + " " + keys.SecretAccessKey + " " + keys.SessionToken
			if err != nil {
				got = err.Error()
			}
			if err == nil && got != c.want || !strings.Contains(got, c.want) || strings.Contains(got, "secret-text") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// bare takes out of the environment what says anything of keys.
func bare(t *testing.T) {
	t.Helper()
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "MINIO_") {
			t.Setenv(name, "")
		}
	}
}

// TestKeysAreKept: keys are looked for once, and again where they are about to end.
func TestKeysAreKept(t *testing.T) {
	for _, c := range []struct {
		name, expires string
		want          string
	}{
		{"keys without an end", "", "one"},
		{"keys that last", "2099-01-01T00:00:00Z", "one"},
		{"keys that have ended", "2001-01-01T00:00:00Z", "two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bare(t)
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			printed := filepath.Join(dir, "keys")
			print := func(id string) {
				expires := ""
				if c.expires != "" {
					expires = `,"Expiration":"` + c.expires + `"`
				}
				if err := os.WriteFile(printed, []byte(`{"AccessKeyId":"`+id+`","SecretAccessKey":"s"`+expires+`}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
			if err := os.WriteFile(filepath.Join(dir, "config"), []byte("[default]\ncredential_process = /bin/cat "+printed), 0o600); err != nil {
				t.Fatal(err)
			}
			k := credentials.New(&keys{})
			for _, id := range []string{"one", "two"} {
				print(id)
				if _, err := k.GetWithContext(nil); err != nil {
					t.Fatal(err)
				}
			}
			if keys, err := k.GetWithContext(nil); err != nil || keys.AccessKeyID != c.want {
				t.Errorf("got %q, %v, want %q", keys.AccessKeyID, err, c.want)
			}
		})
	}
}

// Where there are no keys nobody is asked for them again: a bucket may be open to all.
func TestNoKeysAreLookedForOnce(t *testing.T) {
	bare(t)
	t.Setenv("HOME", t.TempDir())
	var asked atomic.Int32
	machine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer machine.Close()
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", machine.URL)
	k := credentials.New(&keys{})
	for range 3 {
		if v, err := k.GetWithContext(nil); err != nil || v.AccessKeyID != "" {
			t.Fatalf("got %v, %v, want no keys", v, err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the machine was asked %d times, want once", n)
	}
}
