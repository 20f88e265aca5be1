package proc

import (
	"io"
	"os"
)

func drain(*os.File, io.Writer) {} // its pipes have no deadlines
