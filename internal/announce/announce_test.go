package announce_test

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/announce"
	"github.com/piton-project/piton/internal/courier"
)

// TestMain is also the listeners' program: helper MODE.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "helper" {
		os.Exit(m.Run())
	}
	in, _ := io.ReadAll(os.Stdin)
	switch mode := os.Args[2]; mode {
	case "keep": // what it was told, for the test
		text := fmt.Sprintf("stdin %q\n", in)
		for _, name := range agent.ListenerVariables {
			text += fmt.Sprintf("%s %q\n", name, os.Getenv(name))
		}
		os.WriteFile(os.Args[3], []byte(text), 0o600)
	case "shorten":
		fmt.Printf("short of %d\x1b[31m\n", len(in))
	case "fail":
		fmt.Fprintln(os.Stderr, "warning: x\nno sound\x07 card")
		os.Exit(3)
	case "complain":
		fmt.Fprint(os.Stderr, strings.Repeat("warning: x\n", 1<<16), "no sound card\n")
		os.Exit(3)
	case "flood":
		fmt.Print(strings.Repeat("x", 1<<20))
	case "hang":
		select {}
	}
	os.Exit(0)
}

const said = "All tests pass."

var noon = piton.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))

func letter(kind agent.EventKind, text string) agent.Letter {
	body, _ := json.Marshal(agent.News{Event: kind, At: noon, Turn: 3, Text: text})
	l := agent.Letter{ID: "ltr_1", SessionID: "ses_1", To: agent.ToListener("a"), Kind: agent.LetterEvent, Body: string(body)}
	if kind == agent.EventAnnouncement {
		l.Kind = agent.LetterAnnounce
	}
	return l
}

// carry tells one listener.
func carry(t *testing.T, l agent.Letter, env map[string]string, list ...agent.Listener) courier.Outcome {
	t.Helper()
	c := announce.Carrier{
		Listeners: func(string) ([]agent.Listener, error) { return list, nil },
		Getenv:    func(name string) string { return env[name] }, UserHome: t.TempDir(), Version: "9", Now: func() time.Time { return noon.Time },
	}
	return c.Carry(t.Context(), l, agent.Session{Identity: agent.Identity{ID: "ses_1", Agent: "claude", ClientID: "c1", Project: "prj_1", Root: "/home/ann/shop"}})
}

func helper(args ...string) []string { return append([]string{os.Args[0], "helper"}, args...) }

func TestCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	for _, x := range []struct {
		name    string
		l       agent.Listener
		text    string
		want    courier.What
		why     string
		told    string // what the program was told
		timeout time.Duration
	}{
		{"the text is on stdin and in the environment", agent.Listener{Command: helper("keep", file)}, said, courier.Delivered, "",
			"stdin \"All tests pass.\\n\"\nPITON_LETTER_ID \"ltr_1\"\nPITON_LISTENER \"a\"\nPITON_EVENT \"announcement\"\nPITON_TEXT \"All tests pass.\"\nPITON_TITLE \"claude in shop\"\nPITON_SESSION_ID \"ses_1\"\nPITON_AGENT \"claude\"\nPITON_ROOT \"/home/ann/shop\"\n", 0},
		{"what a shell would run is text", agent.Listener{Command: helper("keep", file)}, "$(touch x); `id` \"'", courier.Delivered, "", `PITON_TEXT "$(touch x); ` + "`id`", 0},
		{"what steers a terminal is left out", agent.Listener{Command: helper("keep", file)}, "a\x1b[2Jb\x00c\u202ed\r\ne\tf", courier.Delivered, "", `PITON_TEXT "a[2Jbcd\ne\tf"`, 0},
		{"a secret is taken out once more", agent.Listener{Command: helper("keep", file)}, "ghp_" + strings.Repeat("A1b2", 9), courier.Delivered, "", `PITON_TEXT "[REDACTED`, 0},
		{"a summary stands in the text's place", agent.Listener{Command: helper("keep", file), Summary: helper("shorten")}, said, courier.Delivered, "", `stdin "short of 16[31m\n"`, 0},
		{"a summary of one word", agent.Listener{Command: helper("keep", file), Summary: []string{"pwd"}}, said, courier.Delivered, "", `stdin "/`, 0},
		{"a summary that fails", agent.Listener{Command: helper("keep", file), Summary: helper("fail")}, said, courier.Delivered, "", `stdin "All tests pass.\n"`, 0},
		{"a summary that says nothing", agent.Listener{Command: helper("keep", file), Summary: helper("nothing")}, said, courier.Delivered, "", `stdin "All tests pass.\n"`, 0},
		{"a summary program that is not there", agent.Listener{Command: helper("keep", file), Summary: []string{"/none/such"}}, said, courier.Delivered, "", `stdin "All tests pass.\n"`, 0},
		{"a summary that never ends leaves time to tell the text", agent.Listener{Command: helper("keep", file), Summary: helper("hang")}, said, courier.Delivered, "", `stdin "All tests pass.\n"`, 3 * time.Second},
		{"a program that fails is tried again", agent.Listener{Command: helper("fail")}, said, courier.Failed, os.Args[0] + " ended with status 3: no sound card", "", 0},
		{"a program that complains much and fails", agent.Listener{Command: helper("complain")}, said, courier.Failed, os.Args[0] + " ended with status 3: no sound card", "", 0},
		{"a program that is not there", agent.Listener{Command: []string{"/none/such"}}, said, courier.Parked, "there is no program /none/such", "", 0},
		{"a program that never ends is not heard twice", agent.Listener{Command: helper("hang"), Timeout: 50 * time.Millisecond}, said, courier.Parked, os.Args[0] + " did not end in 50ms", "", 0},
		{"a program that writes much", agent.Listener{Command: helper("flood")}, said, courier.Delivered, "", "", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			os.Remove(file)
			x.l.Name = "a"
			if x.l.Timeout == 0 {
				x.l.Timeout = cmp.Or(x.timeout, 10*time.Minute) // only ends a hang
			}
			got := carry(t, letter(agent.EventAnnouncement, x.text), nil, x.l)
			if got.What != x.want || !strings.Contains(got.Why, x.why) {
				t.Fatalf("got %+v, want %s: %s", got, x.want, x.why)
			}
			if told, err := os.ReadFile(file); x.told != "" && (err != nil || !strings.Contains(string(told), x.told)) {
				t.Errorf("got it told\n%s(%v), want\n%s", told, err, x.told)
			}
		})
	}
}

func TestHugeTextsAreCut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	got := carry(t, letter(agent.EventAnnouncement, strings.Repeat("word é ", 1<<20)), nil, agent.Listener{Name: "a", Command: helper("keep", file)})
	told, err := os.ReadFile(file)
	if got.What != courier.Delivered || err != nil || len(told) > 64<<10 {
		t.Errorf("got %+v and %d bytes (%v), want them bounded", got, len(told), err)
	}
}

// Only what an agent has said is summarised: the text of an event is ours, and short.
func TestEventsAreNotSummarised(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	got := carry(t, letter(agent.EventStop, said), nil, agent.Listener{Name: "a", Command: helper("keep", file), Summary: helper("shorten")})
	if told, err := os.ReadFile(file); got.What != courier.Delivered || err != nil || !strings.Contains(string(told), `stdin "All tests pass.\n"`) {
		t.Errorf("got %+v (%v) and it told\n%s", got, err, told)
	}
}

func TestNobodyToTell(t *testing.T) {
	broken := letter(agent.EventStop, said)
	broken.Body = "{"
	for _, x := range []struct {
		name string
		l    agent.Letter
		list []agent.Listener
		want courier.What
	}{
		{"a listener that is gone", letter(agent.EventStop, said), nil, courier.Dropped},
		{"a listener that is off", letter(agent.EventStop, said), []agent.Listener{{Name: "a", Off: true}}, courier.Dropped},
		{"a body of another version", broken, []agent.Listener{{Name: "a", Command: helper("nothing")}}, courier.Parked},
	} {
		if got := carry(t, x.l, nil, x.list...); got.What != x.want {
			t.Errorf("%s: got %+v, want %s", x.name, got, x.want)
		}
	}
	c := announce.Carrier{Listeners: func(string) ([]agent.Listener, error) { return nil, errors.New("line 3: no YAML") }}
	if got := c.Carry(context.Background(), letter(agent.EventStop, said), agent.Session{}); got.What != courier.Waits {
		t.Errorf("settings that cannot be read: got %+v, want it to wait", got)
	}
}

// request is what a server has got.
type request struct {
	header http.Header
	body   []byte
}

// serve answers each request by the next handler, the last one for all others.
func serve(t *testing.T, handlers ...http.HandlerFunc) (url string, got func() []request) {
	t.Helper()
	var all []request
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		all = append(all, request{r.Header, b})
		h := handlers[min(n, len(handlers)-1)]
		n++
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []request { return all }
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func TestWebhookAnswers(t *testing.T) {
	elsewhere, reached := serve(t, status(200))
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	for _, x := range []struct {
		name   string
		answer http.HandlerFunc
		want   courier.What
		why    string
		again  time.Duration
	}{
		{"taken", status(204), courier.Delivered, "", 0},
		{"taken, with a huge answer", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 8<<20)) }, courier.Delivered, "", 0},
		{"an error of the server", status(500), courier.Failed, "the server answered 500", 0},
		{"too many requests", status(429, "Retry-After", "7"), courier.Failed, "429", 7 * time.Second},
		{"wait until a date", status(503, "Retry-After", noon.Add(90*time.Second).Format(http.TimeFormat)), courier.Failed, "503", 90 * time.Second},
		{"wait for a year", status(503, "Retry-After", "31536000"), courier.Failed, "503", 5 * time.Minute},
		{"wait for nonsense", status(503, "Retry-After", "-1"), courier.Failed, "503", 0},
		{"a request that took too long", status(408), courier.Failed, "408", 0},
		{"a wrong key", status(401), courier.Parked, "401", 0},
		{"gone", status(410), courier.Parked, "410", 0},
		{"a redirect", status(307, "Location", elsewhere), courier.Parked, "is not followed", 0},
		{"no answer", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-over:
			}
		}, courier.Failed, "did not answer in time", 0},
		{"an answer that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}, courier.Failed, "the request failed", 0},
		{"an answer that is not an HTTP", func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Write([]byte("\x1b[31mhello\r\n\r\n"))
			c.Close()
		}, courier.Failed, "the request failed", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			url, _ := serve(t, x.answer)
			l := agent.Listener{Name: "a", Webhook: url + "/T0K3N"}
			if x.name == "no answer" {
				l.Timeout = 50 * time.Millisecond
			}
			got := carry(t, letter(agent.EventAnnouncement, said), nil, l)
			if got.What != x.want || !strings.Contains(got.Why, x.why) || got.Again != x.again {
				t.Errorf("got %+v, want %s (%s), again in %s", got, x.want, x.why, x.again)
			}
			if strings.Contains(got.Why, "T0K3N") {
				t.Errorf("got the reason %q, want no word of the URL's path", got.Why)
			}
		})
	}
	if len(reached()) > 0 {
		t.Error("the target of a redirect was asked")
	}
}

func TestWebhookRequest(t *testing.T) {
	url, got := serve(t, status(200))
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("whsec_"+base64.StdEncoding.EncodeToString([]byte("from a file"))+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, secret, file, env string
		key                     string
	}{
		{"no key", "", "", "", ""},
		{"a key as it is", "${env:KEY}", "", "hunter2-key", "hunter2-key"},
		{"a key in base64", "${env:KEY}", "", "whsec_" + base64.StdEncoding.EncodeToString([]byte("hunter2-key")), "hunter2-key"},
		{"a key in a file", "", file, "", "from a file"},
	} {
		l := agent.Listener{Name: "a", Webhook: strings.Replace(url, "127.0.0.1", "${env:HOST}", 1) + "/hook", Secret: x.secret, SecretFile: x.file}
		if o := carry(t, letter(agent.EventPermissionRequest, said), map[string]string{"KEY": x.env, "HOST": "127.0.0.1"}, l); o.What != courier.Delivered {
			t.Fatalf("%s: got %+v", x.name, o)
		}
		all := got()
		r := all[len(all)-1]
		want := `{"type":"permission_request","timestamp":"2026-03-01T12:00:00.000Z","data":{"id":"ltr_1","session_id":"ses_1","client_id":"c1","agent":"claude","project":"prj_1","root":"/home/ann/shop","turn":3,"title":"claude in shop","text":"All tests pass."}}`
		if string(r.body) != want {
			t.Errorf("%s: got the body\n%s\nwant\n%s", x.name, r.body, want)
		}
		if r.header.Get("webhook-id") != "ltr_1" || r.header.Get("webhook-timestamp") != fmt.Sprint(noon.Unix()) || r.header.Get("Content-Type") != "application/json" || r.header.Get("User-Agent") != "Piton/9" {
			t.Errorf("%s: got the headers %v", x.name, r.header)
		}
		signature := ""
		if x.key != "" {
			mac := hmac.New(sha256.New, []byte(x.key))
			fmt.Fprintf(mac, "ltr_1.%d.%s", noon.Unix(), r.body)
			signature = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		}
		if got := r.header.Get("webhook-signature"); got != signature {
			t.Errorf("%s: got the signature %q, want %q", x.name, got, signature)
		}
	}
}

func TestKeysThatCannotBeUsed(t *testing.T) {
	url, got := serve(t, status(200))
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"open": 0o644, "empty": 0o600, "long": 0o600} {
		text := map[string]string{"open": "hunter2", "empty": " \n", "long": strings.Repeat("k", 4<<10+1)}[name]
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		name string
		l    agent.Listener
		why  string
	}{
		{"a variable that is not set", agent.Listener{Secret: "${env:NONE}"}, "the variable NONE of secret is not set"},
		{"a URL's variable that is not set", agent.Listener{Webhook: url + "/${env:NONE}"}, "the variable NONE of webhook is not set"},
		{"no base64", agent.Listener{Secret: "${env:KEY}"}, "not base64"},
		{"a file that others can read", agent.Listener{SecretFile: filepath.Join(dir, "open")}, "others can read the file"},
		{"an empty file", agent.Listener{SecretFile: filepath.Join(dir, "empty")}, "holds no secret"},
		{"a file that is too long", agent.Listener{SecretFile: filepath.Join(dir, "long")}, "it is not a file of at most 4096 bytes"},
		{"no file", agent.Listener{SecretFile: filepath.Join(dir, "none")}, "cannot be read"},
		{"a folder", agent.Listener{SecretFile: dir}, "is not a file"},
	} {
		x.l.Name = "a"
		if x.l.Webhook == "" {
			x.l.Webhook = url
		}
		o := carry(t, letter(agent.EventStop, said), map[string]string{"KEY": "whsec_hunter2!"}, x.l)
		if o.What != courier.Failed || !strings.Contains(o.Why, x.why) || strings.Contains(o.Why, "hunter2") {
			t.Errorf("%s: got %+v, want it tried again: %s", x.name, o, x.why)
		}
	}
	if len(got()) > 0 {
		t.Error("a webhook was sent unsigned")
	}
}

func TestADeadServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	o := carry(t, letter(agent.EventStop, said), nil, agent.Listener{Name: "a", Webhook: url + "/T0K3N"})
	if o.What != courier.Failed || !strings.Contains(o.Why, "cannot be reached") || strings.Contains(o.Why, "T0K3N") {
		t.Errorf("got %+v, want it tried again, and no word of the URL's path", o)
	}
}
