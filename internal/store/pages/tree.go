package pages

// Tree is a table or an index whose pages are looked for.
type Tree struct {
	Name  string
	Index bool
	Root  uint32 // where the schema says it begins; 0: that could not be read
	Usual uint32 // where it begins in a new file
	// Fits reports whether values can be a row of it; nil for an index.
	Fits func(values []any) bool
}

// Found are the pages of a tree that may hold rows, in the order of their
// keys as far as that is known.
type Found struct {
	Root    uint32
	Linked  []uint32 // reached from the root
	Adopted []uint32 // that nothing whole leads to: they may be out of date
	Broken  int      // pages of the tree that cannot be read
}

// finder gives pages to trees. Three things say where a page belongs: the page
// that leads to it, the map of pages, and the list of free pages. Where they
// differ one is damaged, and two decide.
type finder struct {
	f        *File
	trees    []Tree
	kind     []byte              // of each page, by the maps
	parent   []uint32            // of each page, by the maps
	children map[uint32][]uint32 // by the maps
	free     map[uint32]bool
	whole    bool    // the list of free pages is
	owner    []int   // of each page: the tree's index plus 1
	found    []Found // by tree
	doubtful []link
	left     int // pages that the sample of a tree may still look at
}

// Bounds of what is looked at to find where a tree begins.
const (
	maxSample = 500
	maxRoots  = 1000
)

// link is a page that leads to another.
type link struct {
	page uint32
	tree int
}

// Find tells which pages belong to which tree.
func (f *File) Find(trees []Tree) []Found {
	x := &finder{f: f, trees: trees, owner: make([]int, f.count+1), found: make([]Found, len(trees)), children: map[uint32][]uint32{}}
	x.kind, x.parent = f.mapPages()
	x.free, x.whole = f.free()
	for n := uint32(1); n <= f.count; n++ {
		if x.kind[n] == mapTree {
			x.children[x.parent[n]] = append(x.children[x.parent[n]], n)
		}
	}
	x.roots()
	for t := range trees {
		if root := x.found[t].Root; root != 0 {
			x.walk(t, root, true)
		}
	}
	for n := uint32(1); n <= f.count; n++ {
		x.adopt(n)
	}
	for i := 0; i < len(x.doubtful); i++ { // a walk adds to them
		d := x.doubtful[i]
		if x.owner[d.page] == 0 && !x.free[d.page] && x.ofKind(d.tree, d.page) {
			x.walk(d.tree, d.page, false)
		}
	}
	for n := uint32(1); n <= f.count; n++ {
		x.recognise(n)
	}
	return x.found
}

// roots finds where each tree begins: where the schema says it, else where it
// does in a new file, else where there is one whose rows look like it.
func (x *finder) roots() {
	taken := map[uint32]bool{}
	take := func(t int, root uint32) bool {
		if root == 0 || root > x.f.count || taken[root] || !x.begins(t, root) {
			return false
		}
		taken[root], x.found[t].Root = true, root
		return true
	}
	for t, tree := range x.trees {
		take(t, tree.Root)
	}
	for t, tree := range x.trees {
		if x.found[t].Root == 0 {
			take(t, tree.Usual)
		}
	}
	for t, tree := range x.trees {
		if x.found[t].Root != 0 || tree.Index {
			continue
		}
		var fit []uint32
		looked := 0
		for n := uint32(3); n <= x.f.count && looked < maxRoots; n++ {
			if x.kind[n] != mapRoot || taken[n] {
				continue
			}
			if looked++; x.looks(t, n) == yes {
				fit = append(fit, n)
			}
		}
		if len(fit) == 1 {
			take(t, fit[0])
		}
	}
}

// begins reports whether a tree may begin at a page.
func (x *finder) begins(t int, root uint32) bool {
	if x.f.isMap(root) || root != 1 && x.kind[root] != mapRoot && x.kind[root] != 0 {
		return false
	}
	return x.looks(t, root) != no
}

type answer int

const (
	unknown answer = iota
	yes
	no
)

// looks reports whether the rows below a page are those of a tree.
func (x *finder) looks(t int, root uint32) answer {
	if x.trees[t].Index {
		if x.ofKind(t, root) {
			return yes
		}
		return unknown
	}
	x.left = maxSample
	rows := x.sample(root, 8)
	if len(rows) == 0 {
		return unknown
	}
	fit := 0
	for _, r := range rows {
		if x.trees[t].Fits(r.Values) {
			fit++
		}
	}
	if fit*2 > len(rows) {
		return yes
	}
	return no
}

// sample are the rows of the first page below this one that has any.
func (x *finder) sample(n uint32, depth int) []Row {
	if x.left--; n == 0 || depth == 0 || x.left < 0 {
		return nil
	}
	p, ok := x.f.parse(n)
	if ok && p.kind == leafTable {
		if rows, _ := x.f.rows(p); len(rows) > 0 {
			return rows
		}
	}
	var below []uint32
	if ok && p.kind == interiorTable {
		for _, c := range p.children() {
			if c <= x.f.count && x.kind[c] == 0 { // the others are children by the maps
				below = append(below, c)
			}
		}
	}
	for _, c := range append(below, x.children[n]...) {
		if rows := x.sample(c, depth-1); len(rows) > 0 {
			return rows
		}
	}
	return nil
}

// ofKind reports whether a page can be one of a tree.
func (x *finder) ofKind(t int, n uint32) bool {
	p, ok := x.f.parse(n)
	if x.trees[t].Index {
		return ok && (p.kind == interiorIndex || p.kind == leafIndex)
	}
	return ok && (p.kind == interiorTable || p.kind == leafTable)
}

// walk gives a tree a page and what it leads to. A page that only the link
// speaks for waits until all others are given.
func (x *finder) walk(t int, n uint32, linked bool) {
	if x.owner[n] != 0 {
		return
	}
	x.owner[n] = t + 1
	found := &x.found[t]
	if !x.ofKind(t, n) {
		found.Broken++
		if x.readable(t, n) {
			found.Adopted = append(found.Adopted, n)
		}
		return
	}
	p, _ := x.f.parse(n)
	if p.kind == interiorTable && len(x.children[n]) == 0 && x.readable(t, n) {
		found.Broken++
		found.Adopted = append(found.Adopted, n)
		return
	}
	if p.kind != interiorTable {
		if linked {
			found.Linked = append(found.Linked, n)
		} else {
			found.Adopted = append(found.Adopted, n)
		}
	}
	for _, c := range p.children() {
		if c < 2 || c > x.f.count || x.f.isMap(c) {
			continue
		}
		switch {
		case x.kind[c] == mapTree && x.parent[c] == n:
			x.walk(t, c, linked)
		case x.kind[c] == 0 && !x.free[c] && x.ofKind(t, c):
			x.walk(t, c, linked)
		default:
			x.doubtful = append(x.doubtful, link{c, t})
		}
	}
}

// adopt gives a page that nothing leads to to the tree that the maps name.
func (x *finder) adopt(n uint32) {
	var way []uint32
	for at := n; ; at = x.parent[at] {
		if len(way) > 20 { // a circle
			return
		}
		if t := x.owner[at]; t != 0 {
			for i := len(way) - 1; i >= 0; i-- {
				x.walk(t-1, way[i], false)
			}
			return
		}
		if x.kind[at] != mapTree || x.free[at] && x.whole {
			return
		}
		way = append(way, at)
	}
}

// recognise gives a page of which nothing says where it belongs to the only
// tree that all of its rows fit.
func (x *finder) recognise(n uint32) {
	if x.owner[n] != 0 || x.free[n] || x.kind[n] != 0 || x.f.isMap(n) {
		return
	}
	p, ok := x.f.parse(n)
	if !ok || p.kind != leafTable {
		return
	}
	rows, _ := x.f.rows(p)
	only := -1
	for t, tree := range x.trees {
		if tree.Index || len(rows) == 0 {
			continue
		}
		fits := true
		for _, r := range rows {
			fits = fits && tree.Fits(r.Values)
		}
		switch {
		case fits && only >= 0:
			return
		case fits:
			only = t
		}
	}
	if only >= 0 {
		x.walk(only, n, false)
	}
}

// readable reports whether a page that does not say that it is a leaf is one all
// the same: its first byte may be what is damaged.
func (x *finder) readable(t int, n uint32) bool {
	if x.trees[t].Index {
		return false
	}
	p, ok := parse(n, x.f.Page(n), leafTable)
	if !ok {
		return false
	}
	rows, bad := x.f.rows(p)
	for _, r := range rows {
		if !x.trees[t].Fits(r.Values) {
			return false
		}
	}
	return len(rows) > 0 && bad == 0
}

// Rows calls fn for the rows on a page, and returns how many of what lies
// there cannot be read.
func (f *File) Rows(n uint32, fn func(Row)) (bad int) {
	p, ok := f.parse(n)
	if !ok || p.kind == interiorTable {
		if p, ok = parse(n, f.Page(n), leafTable); !ok {
			return 1
		}
	}
	rows, bad := f.rows(p)
	for _, r := range rows {
		fn(r)
	}
	return bad
}
