package headless

import (
	"fmt"

	"github.com/piton-project/piton/internal/client"
)

// unpriced says why a cost is not known.
func unpriced(c client.Client, model string) string {
	if model == "" {
		model = c.Name()
	}
	return fmt.Sprintf("run.prices has no price of %s", model)
}
