package s3

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		name        string
		client      *Client
		key, region string
		want        string
	}{
		{"a server of one's own", &Client{Host: "127.0.0.1:9000", Bucket: "b1b"}, "a/b c", "us-east-1", "http://127.0.0.1:9000/b1b/a/b%20c"},
		{"with TLS", &Client{Host: "s3.example.org", Secure: true, Bucket: "b1b"}, "k", "x", "https://s3.example.org/b1b/k"},
		{"Amazon's", &Client{Host: Amazon, Secure: true, Bucket: "b1b"}, "k", "eu-west-1", "https://b1b.s3.dualstack.eu-west-1.amazonaws.com/k"},
		{"Amazon's in China", &Client{Host: Amazon, Secure: true, Bucket: "b1b"}, "k", "cn-north-1", "https://b1b.s3.dualstack.cn-north-1.amazonaws.com.cn/k"},
		{"a name with dots, which no certificate covers", &Client{Host: Amazon, Secure: true, Bucket: "b.1.b"}, "k", "eu-west-1", "https://s3.dualstack.eu-west-1.amazonaws.com/b.1.b/k"},
		{"the bucket", &Client{Host: "h", Bucket: "b1b"}, "", "", "http://h/b1b/"},
		{"what a path may not hold", &Client{Host: "h", Bucket: "b1b"}, "ü+%?#=&~", "", "http://h/b1b/%C3%BC%2B%25%3F%23%3D%26~"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.client.address(c.key, c.region).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// script answers one request after the other, and notes what was asked.
type script struct {
	mu      sync.Mutex
	answers []func(http.ResponseWriter)
	asked   []string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.Copy(io.Discard, r.Body)
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=id/")
	if parts := strings.Split(scope, "/"); len(parts) > 1 {
		scope = parts[1]
	}
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+scope))
	if len(s.answers) == 0 {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	s.answers[0](w)
	s.answers = s.answers[1:]
}

func says(status int, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// TestCalls: what is sent for each call, and what comes of each answer.
func TestCalls(t *testing.T) {
	list := func(c *Client) (string, error) {
		keys, err := c.List(t.Context(), "a/piton-")
		return strings.Join(keys, " "), err
	}
	stat := func(c *Client) (string, error) {
		n, err := c.Stat(t.Context(), "k")
		return fmt.Sprint(n), err
	}
	get := func(c *Client) (string, error) {
		r, err := c.Get(t.Context(), "k")
		if err != nil {
			return "", err
		}
		defer r.Close()
		text, err := io.ReadAll(r)
		return string(text), err
	}
	parts := func(c *Client) (string, error) {
		return "done", c.PutParts(t.Context(), "k", strings.NewReader("abc"), 3, "text/plain")
	}
	const first = "GET /b1b/?delimiter=%2F&encoding-type=url&list-type=2&prefix=a%2Fpiton-"
	for _, c := range []struct {
		name, region string
		do           func(*Client) (string, error)
		answers      []func(http.ResponseWriter)
		want         string
		asked        []string
	}{
		{"a list of two pages", "r", list, []func(http.ResponseWriter){
			says(200, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>n/1</NextContinuationToken><EncodingType>url</EncodingType><Contents><Key>a%2Fpiton-1</Key></Contents></ListBucketResult>`),
			says(200, `<ListBucketResult><Contents><Key>a/piton-2</Key></Contents></ListBucketResult>`),
		}, "a/piton-1 a/piton-2", []string{first + " r", "GET /b1b/?continuation-token=n%2F1&delimiter=%2F&encoding-type=url&list-type=2&prefix=a%2Fpiton- r"}},
		{"a list that does not go on", "r", list, []func(http.ResponseWriter){says(200, `<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>`)}, "does not go on", []string{first + " r"}},
		{"a server that is busy for a moment", "r", get, []func(http.ResponseWriter){says(503, `<Error><Code>SlowDown</Code></Error>`), says(200, "text")}, "text", []string{"GET /b1b/k r", "GET /b1b/k r"}},
		{"a server that stays busy", "r", get, []func(http.ResponseWriter){says(500, ""), says(502, ""), says(503, "")}, "Service Unavailable", []string{"GET /b1b/k r", "GET /b1b/k r", "GET /b1b/k r"}},
		{"an object that is not there", "r", get, []func(http.ResponseWriter){says(404, `<Error><Code>NoSuchKey</Code></Error>`)}, "NoSuchKey", []string{"GET /b1b/k r"}},
		{"the same without a body", "r", stat, []func(http.ResponseWriter){says(404, "")}, "NotFound", []string{"HEAD /b1b/k r"}},
		{"an answer that is no XML", "r", get, []func(http.ResponseWriter){says(403, "<html>no")}, "AccessDenied", []string{"GET /b1b/k r"}},
		{"a redirection is not followed", "r", get, []func(http.ResponseWriter){func(w http.ResponseWriter) { w.Header().Set("Location", "http://192.0.2.1/"); w.WriteHeader(307) }}, "Temporary Redirect", []string{"GET /b1b/k r"}},
		{"the region is asked for", "", get, []func(http.ResponseWriter){says(200, `<LocationConstraint xmlns="x">eu-west-3</LocationConstraint>`), says(200, "text")}, "text", []string{"GET /b1b/?location= us-east-1", "GET /b1b/k eu-west-3"}},
		{"Amazon's first region has no name", "", get, []func(http.ResponseWriter){says(200, `<LocationConstraint/>`), says(200, "text")}, "text", []string{"GET /b1b/?location= us-east-1", "GET /b1b/k us-east-1"}},
		{"nobody may ask for it", "", get, []func(http.ResponseWriter){says(403, `<Error><Code>AccessDenied</Code></Error>`), says(200, "text")}, "text", []string{"GET /b1b/?location= us-east-1", "GET /b1b/k us-east-1"}},
		{"the bucket is in another region", "r", get, []func(http.ResponseWriter){says(400, `<Error><Code>AuthorizationHeaderMalformed</Code><Region>q</Region></Error>`), says(200, "text")}, "text", []string{"GET /b1b/k r", "GET /b1b/k q"}},
		{"an upload in parts", "r", parts, []func(http.ResponseWriter){says(200, `<R><UploadId>u</UploadId></R>`), says(200, ""), says(200, `<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>`)}, "done",
			[]string{"POST /b1b/k?uploads= r", "PUT /b1b/k?partNumber=1&uploadId=u r", "POST /b1b/k?uploadId=u r"}},
		{"an upload that fails when all was sent", "r", parts, []func(http.ResponseWriter){says(200, `<R><UploadId>u</UploadId></R>`), says(200, ""), says(200, `<Error><Code>InternalError</Code></Error>`), says(204, "")}, "InternalError",
			[]string{"POST /b1b/k?uploads= r", "PUT /b1b/k?partNumber=1&uploadId=u r", "POST /b1b/k?uploadId=u r", "DELETE /b1b/k?uploadId=u r"}},
		{"an upload of which a part is refused", "r", parts, []func(http.ResponseWriter){says(200, `<R><UploadId>u</UploadId></R>`), says(400, `<Error><Code>BadDigest</Code></Error>`), says(204, "")}, "BadDigest",
			[]string{"POST /b1b/k?uploads= r", "PUT /b1b/k?partNumber=1&uploadId=u r", "DELETE /b1b/k?uploadId=u r"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bare(t)
			t.Setenv("AWS_ACCESS_KEY_ID", "id")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			s := &script{answers: c.answers}
			server := httptest.NewServer(s)
			defer server.Close()
			got, err := c.do(&Client{Host: strings.TrimPrefix(server.URL, "http://"), Bucket: "b1b", Region: c.region})
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if strings.Join(s.asked, "\n") != strings.Join(c.asked, "\n") {
				t.Errorf("got the requests\n%s\nwant\n%s", strings.Join(s.asked, "\n"), strings.Join(c.asked, "\n"))
			}
		})
	}
}

// TestUnsigned: without keys a bucket may be open to all.
func TestUnsigned(t *testing.T) {
	bare(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	s := &script{answers: []func(http.ResponseWriter){says(200, "")}}
	server := httptest.NewServer(s)
	defer server.Close()
	c := &Client{Host: strings.TrimPrefix(server.URL, "http://"), Bucket: "b1b", Region: "r"}
	if err := c.Remove(t.Context(), "k"); err != nil || len(s.asked) != 1 || s.asked[0] != "DELETE /b1b/k" {
		t.Errorf("got %v, %v", s.asked, err)
	}
}

func TestCheckBucket(t *testing.T) {
	for name, want := range map[string]bool{
		"piton": true, "my.bucket-1": true, "Old_Name": true, "ab": false, strings.Repeat("a", 64): false, "10.0.0.1": false,
		"a..b": false, "a.-b": false, "-ab": false, "ab_": false, "a/b": false, "a b": false,
	} {
		if err := CheckBucket(name); (err == nil) != want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
