package main

// failure carries an error to command, where every error of this program ends: nothing
// goes on after one.
type failure struct{ error }

// check ends the command with an error, if it is one.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// got is a value that came without an error.
func got[T any](x T, err error) T {
	check(err)
	return x
}
