package tools

var rubyTools = []Tool{
	{Names: "ruby", Versioned: true, Installed: true, Does: Subject | Variable, Subs: []Sub{{"-e", Program}}, Script: &Interpreter{Takes: "-I -C", Text: "eErn"}},
	{Names: "perl", Does: Subject, Subs: []Sub{{"-e", Program}}, Script: &Interpreter{Takes: "-I -C", Text: "eErn"}, Writes: streamWrites},
	{Names: "rspec", Installed: true, Ecosystem: "ruby", Paths: true, Does: Tests | Variable | Runner | Reads, Dry: "--list --list-tests --list-reporters --init -h", DryEnv: "SPEC_OPTS"},
	{Names: "rake", Installed: true, Ecosystem: "ruby", Does: Subject, Takes: "-f --rakefile", Project: "-f --rakefile", Defines: true, Dry: "-T --tasks -n -P --prereqs -h", Subs: []Sub{{"test|spec", Tests | Runner}}, Writes: taskWrites, Risks: railsRisks},
	{Names: "rails", Ecosystem: "ruby", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, Risks: railsRisks},
	{Names: "cucumber", Ecosystem: "ruby", Does: Tests | Runner},
	{Names: "parallel_rspec turbo_tests", Ecosystem: "ruby", Does: Tests},
	{Names: "bundle", Installed: true, Chooses: 1, Does: Subject, Subs: []Sub{{"install", Installs | Testless}}, Wraps: []Wrap{{Sub: "exec"}}, Writes: taskWrites},
	{Names: "gem", Chooses: 1, VersionOf: true},
	{Names: "rbenv", Wraps: []Wrap{{Sub: "exec"}}},
	{Names: "rubocop", Rewrites: &Rewrites{With: lintFixes}},
}

var ruby = Ecosystem{
	Name: "ruby", Title: "Ruby", Extensions: "rb rake erb",
	Tests:     "**/*_spec.rb **/*_test.rb",
	Manifests: "Gemfile *.gemspec", Resolve: "run `bundle install`", Resolvers: "bundle|gem|rake|rails|rspec",
	Projects: []Project{
		{Files: []string{"Gemfile", "spec/"}, Run: "bundle exec rspec", Counts: "rspec|rake spec"},
		{Files: []string{"Gemfile", "config.ru", "test/"}, Run: "bin/rails test", Counts: "rails test|rake test"},
		{Files: []string{"Rakefile", "test/"}, Run: "rake test", Counts: "rake test"},
	},
}

var railsRisks = []Risk{{Kind: DestroyData, Any: "db:drop db:reset db:drop:all db:migrate:reset db:truncate_all"}}
