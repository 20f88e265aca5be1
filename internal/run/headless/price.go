package headless

import (
	"cmp"
	"fmt"

	"github.com/piton-project/piton/internal/client"
)

// unpriced says why a cost is not known.
func unpriced(c client.Client, model string) string {
	model = cmp.Or(model, c.Name())
	return fmt.Sprintf("run.prices has no price of %s", model)
}
