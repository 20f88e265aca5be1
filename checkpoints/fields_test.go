package checkpoints_test

import (
	"reflect"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
)

// TestFieldsOfRequests: what a verb can be asked for, the library can be asked for, or it
// is said here why not.
func TestFieldsOfRequests(t *testing.T) {
	for _, c := range []struct {
		request reflect.Type
		typed   []reflect.Type
		without map[string]string
	}{
		{reflect.TypeFor[piton.ListRequest](), []reflect.Type{reflect.TypeFor[checkpoints.Filter]()}, map[string]string{"Project": "AllProjects", "Cursor": "a list reads page by page"}},
		{reflect.TypeFor[piton.Choice](), []reflect.Type{reflect.TypeFor[checkpoints.Selector]()}, map[string]string{"Ref": "ID", "Own": "set where a session is named", "Project": "the store's"}},
		{reflect.TypeFor[piton.LoadRequest](), []reflect.Type{reflect.TypeFor[checkpoints.Selector]()}, map[string]string{"Ref": "ID", "Own": "set where a session is named", "Project": "the store's", "Nearest": "LoadNearest", "Path": "a program decodes what it wants", "From": "for models", "MaxBytes": "for models"}},
		{reflect.TypeFor[piton.DeleteRequest](), []reflect.Type{reflect.TypeFor[checkpoints.Selector](), reflect.TypeFor[checkpoints.DeleteOptions]()}, map[string]string{"Ref": "ID", "Project": "the store's"}},
		{reflect.TypeFor[piton.PruneRequest](), []reflect.Type{reflect.TypeFor[checkpoints.PruneOptions]()}, map[string]string{"Project": "AllProjects"}},
	} {
		for _, f := range reflect.VisibleFields(c.request) {
			if f.Anonymous {
				continue
			}
			has := false
			for _, x := range c.typed {
				_, there := x.FieldByName(f.Name)
				has = has || there
			}
			if why := c.without[f.Name]; has == (why != "") {
				t.Errorf("%s.%s: the library has it: %v, and it is left out because %q", c.request.Name(), f.Name, has, why)
			}
		}
	}
}
