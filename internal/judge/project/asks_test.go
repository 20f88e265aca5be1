package project

import (
	"cmp"
	"testing"

	"github.com/piton-project/piton/internal/judge/tools"
)

// A line imports a file by its path; a name that many files bear is not enough.
func TestImportOf(t *testing.T) {
	for _, c := range []struct {
		file, line string
		want       bool
		test       string // whose line it is; tests/a.test.ts where empty
	}{
		{"src/cart.ts", "import { add } from '../src/cart'", true, ""},
		{"src/cart.ts", "const cart = require('./cart.js')", true, "src/cart.test.ts"},
		{"src/cart.ts", "import { cart } from '../store/cart'", false, "src/cart.test.ts"},
		{"src/cart.ts", "import { cart } from '../src/cart.store'", false, ""},
		{"src/cart.ts", "} from '@/cart';", true, ""},
		{"src/cart.ts", "import { cart } from './basket'", false, ""},
		{"app/users/page.tsx", "import { test, Page } from '@playwright/test'", false, ""},
		{"app/users/page.tsx", "  // load the page from '/users'", false, ""},
		{"app/users/page.tsx", "import Page from '../app/users/page'", true, ""},
		{"app/api/claim/route.ts", "import { POST } from '@/app/api/claim/route'", true, ""},
		{"app/api/claim/route.ts", "import { POST } from '@/app/api/other/route'", false, ""},
		{"app/api/entries/[id]/route.ts", "import { GET } from '@/app/api/entries/[id]/route'", true, ""},
		{"app/api/entries/[id]/route.ts", "import { GET } from '@/app/api/trips/[id]/route'", false, ""},
		{"src/cart/index.ts", "import { add } from '../src/cart'", true, ""},
		{"shop/monitoring/routes.py", "from shop.monitoring.routes import router", true, ""},
		{"shop/monitoring/routes.py", "from shop.auth.routes import router", false, ""},
		{"shop/cart.py", "from shop import cart", true, ""},
		{"shop/cart.py", "cart = 1", false, ""},
	} {
		if got := importOf(tools.OfFile(c.file), c.file)(cmp.Or(c.test, "tests/a.test.ts"), c.line); got != c.want {
			t.Errorf("%s imports %s: got %t", c.line, c.file, got)
		}
	}
}
