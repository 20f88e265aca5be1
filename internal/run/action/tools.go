package action

import "net/http"

// Tools are what the actions are made of; zero fields work.
type Tools struct {
	Transport http.RoundTripper // http.DefaultTransport when nil
	Version   string            // of Piton, as servers are told
	// Marks are the variables by which an agent marks what it starts. They are not
	// handed on: a step is not a call of the agent in which the run was started.
	Marks []string
}
