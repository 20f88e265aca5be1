package page

// screens are all that there is to look at.
var screens = []screen{
	{name: "now", path: "/{$}", load: loadNow},
	{name: "sessions", path: "/sessions", load: loadSessions},
	{name: "session", path: "/session/{id}", load: loadSession},
	{name: "workflows", path: "/workflows", load: loadWorkflows},
	{name: "workflow", path: "/workflow/{id}", load: loadWorkflow},
	{name: "checkpoint", still: true, path: "/checkpoint/{id}", load: loadCheckpoint},
	{name: "compare", still: true, path: "/compare/{id}/{to}", load: loadCompare},
	{name: "runs", path: "/runs", load: loadRuns},
	{name: "run", path: "/run/{id}", load: loadRun},
	{name: "insights", path: "/insights", load: loadInsights},
	{name: "letters", path: "/letters", load: loadLetters},
	{name: "undo", path: "/undo", load: loadUndo},
	{name: "prune", still: true, path: "/prune", load: loadPrune},
	{name: "find", path: "/find", search: true, still: true, load: loadFind},
}
