package tools

var rubyTools = []Tool{
	{Names: "ruby", Picks: rubyPicks, Versioned: true, Installed: true, Does: Subject | Variable, Subs: []Sub{{"-e", Program}}, Script: &Interpreter{Takes: "-I -C", Text: "eErn"}},
	{Names: "perl", Does: Subject, Subs: []Sub{{"-e", Program}}, Script: &Interpreter{Takes: "-I -C", Text: "eErn"}, Writes: streamWrites},
	{Names: "rspec", Picks: rspecPicks, Installed: true, Ecosystem: "ruby", Paths: true, Does: Tests | Variable | Runner | Reads, Dry: "--list --list-tests --list-reporters --init -h", DryEnv: "SPEC_OPTS", Output: Output{Format: "rspec"}},
	{Names: "rake", Picks: rakePicks, Installed: true, Ecosystem: "ruby", Does: Subject, Takes: "-f --rakefile", Project: "-f --rakefile", Defines: true, Dry: "-T --tasks -n -P --prereqs -h", Subs: []Sub{{"test|spec", Tests | Runner}}, Writes: taskWrites, Risks: railsRisks,
		Targets: &Targets{Files: "Rakefile rakefile Rakefile.rb", Form: Rakefile, Goal: "default", Calls: "rake", Climbs: true, Quiet: true}, Output: Output{Format: "minitest rspec cucumber"}},
	{Names: "minitest", Ecosystem: "ruby", Does: Tests | Runner, Output: Output{Format: "minitest"}},
	{Names: "rails", Picks: railsPicks, Ecosystem: "ruby", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, Risks: railsRisks, Output: Output{Format: "minitest rspec cucumber"}},
	{Names: "cucumber", Picks: cucumberPicks, Ecosystem: "ruby", Does: Tests | Runner, Output: Output{Format: "cucumber"}},
	{Names: "parallel_rspec turbo_tests", Picks: rspecPicks, Ecosystem: "ruby", Does: Tests, Output: Output{Format: "rspec"}},
	{Names: "bundle", Installed: true, Chooses: 1, Does: Subject, Subs: []Sub{{"install", Installs | Testless}, {"outdated|audit", Asks}}, Wraps: []Wrap{{Sub: "exec"}}, Writes: taskWrites},
	{Names: "gem", Chooses: 1, VersionOf: true},
	{Names: "rbenv", Wraps: []Wrap{{Sub: "exec"}}},
	{Names: "rubocop", Picks: pathPicks, Rewrites: &Rewrites{With: lintFixes}, Output: Output{Format: "check"}},
}

var ruby = Ecosystem{
	Name: "ruby", Title: "Ruby", Extensions: "rb rake erb",
	Roots: "Gemfile|*.gemspec", Own: "*_spec *_test test_*",
	Cases:     `(?m)^\s*(?:x|f)?(?:it|specify|scenario|example|test)[ (]+['"]([^'"]+)|^\s*def (test_\w+)`,
	Skips:     `(?m)^\s*(?:xit|xdescribe|xcontext|xspecify|xscenario|pending|skip)\b|\b(?:skip|pending): *(?:true|['"])|, :(?:skip|pending)\b`,
	Tests:     "**/*_spec.rb **/*_test.rb",
	Manifests: "Gemfile *.gemspec", Resolve: "run `bundle install`", Resolvers: "bundle|gem|rake|rails|rspec",
	Projects: []Project{
		{Files: []string{"Gemfile", "spec/"}, Run: "bundle exec rspec", Counts: "rspec|rake spec"},
		{Files: []string{"Gemfile", "config.ru", "test/"}, Run: "bin/rails test", Counts: "rails test|rake test"},
		{Files: []string{"Gemfile", "Rakefile", "test/"}, Run: "bundle exec rake test", Counts: "rake test|minitest"},
		{Files: []string{"Rakefile", "test/"}, Run: "rake test", Counts: "rake test|minitest"},
		{Files: []string{".rspec", "spec/"}, Run: "rspec", Counts: "rspec|rake spec"},
	},
}

var railsRisks = []Risk{{Kind: DestroyData, Any: "db:drop db:reset db:drop:all db:migrate:reset db:truncate_all"}}
