package main

// situationsOfDoors are those of the HTTP API and of the other programs.
var situationsOfDoors = []situation{
	{name: "what is deleted over HTTP is not named by an id", before: saved, gives: "api DELETE /v1/checkpoints/first", from: "internal/app/load.go"},
	{name: "no checkpoint is named over HTTP", before: saved, gives: "api GET /v1/state", from: "internal/app/load.go"},
	{name: "no letter is named over HTTP", before: saved, gives: `api POST /v1/letters/retry {"letters":[null]}`, from: "requests.go"},
	{name: "no plan is sent", gives: `api POST /v1/runs {"project":"$DIR/project"}`, from: "requests_work.go"},
	{name: "a run is begun where none is worked on", gives: `api POST /v1/runs {"project":"$DIR/project","plan":"name: p\nsteps:\n- {id: a, run: 'true'}"}`, from: "internal/api/runs.go"},
	{name: "a step is approved over HTTP", before: []string{"! run ask.yaml"}, gives: `api POST /v1/runs/$RUN/approve {}`, from: "internal/api/runs.go"},
	{name: "what the API says of itself", before: []string{"! run ask.yaml"}, gives: "api GET /openapi.json", from: "internal/verbs/verbs.go"},
	{name: "nothing to purge is named over HTTP", before: saved, gives: `api POST /v1/purge {}`, from: "internal/app/purge.go"},
}
