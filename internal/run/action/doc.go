package action

// Doc is what people, checks and suggestions need to know of an action.
type Doc struct {
	Name       string
	Summary    string // one sentence
	Parameters []Parameter
	Any        bool   // other parameters than these are allowed
	Output     string // what a step brings
}

// Parameter is one parameter of an action.
type Parameter struct {
	Name     string
	Kinds    []Kind // of its value; none: any
	Options  []string
	Required bool
	Meaning  string
	Others   []string // other names that people write for it: they are suggested, not taken
}

// Kind is the kind of a parameter's value.
type Kind string

// The kinds of values.
const (
	Text   Kind = "text"
	Number Kind = "number"
	Bool   Kind = "true or false"
	List   Kind = "list"
	Map    Kind = "map"
	Time   Kind = "time" // a plan.Duration
)

// Documented is an action that says what it takes.
type Documented interface {
	Doc() Doc
}

// Names are the names of an action's parameters.
func (d Doc) Names() []string {
	var list []string
	for _, p := range d.Parameters {
		list = append(list, p.Name)
	}
	return list
}
