package tools

const phpunitDry = "--list-tests --list-suites --list-groups --list-test-files --list-tests-xml --check-version --generate-configuration --migrate-configuration -h"

var phpTools = []Tool{
	{Names: "php", Versioned: true, Installed: true, Does: Subject | Variable, Subs: []Sub{{"-r", Program}}, Script: &Interpreter{Takes: "-I -C", Text: "eErn"}},
	{
		Names: "composer", Installed: true, Ecosystem: "php", Chooses: 1, Does: Subject, Project: "-d --working-dir", Subs: []Sub{{"test", Tests | Runner}, {"install", Installs | Testless}, {"require", Installs}},
		Spell: composerScript, Writes: taskWrites,
		Targets: &Targets{Files: "composer.json", Form: ComposerJSON, Verb: "run run-script", Calls: "composer|composer run|composer run-script"},
	},
	{Names: "phpunit", Ecosystem: "php", Paths: true, Does: Tests | Variable | Runner | Reads, Project: "-c --configuration", Dry: phpunitDry},
	{Names: "pest", Ecosystem: "php", Does: Tests | Runner, Dry: phpunitDry},
	{Names: "paratest", Ecosystem: "php", Does: Tests, Dry: phpunitDry},
	{Names: "artisan", Ecosystem: "php", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "sail", Ecosystem: "php", Subs: []Sub{{"test", Tests}}},
	{Names: "codecept", Ecosystem: "php", Subs: []Sub{{"run", Tests}}},
	{Names: "behat", Ecosystem: "php", Does: Tests},
}

var php = Ecosystem{
	Name: "php", Title: "PHP", Extensions: "php",
	Tests:     "**/*Test.php",
	Manifests: "composer.json", Resolve: "run `composer install`", Resolvers: "composer|phpunit|php",
	Projects: []Project{
		{Files: []string{"composer.json"}, Mentions: `"test"`, Run: "composer test", Counts: "composer test|phpunit|pest"},
		{Files: []string{"phpunit.xml|phpunit.xml.dist"}, Run: "vendor/bin/phpunit", Counts: "phpunit|pest"},
	},
}

func composerScript(ops []string) []string {
	if len(ops) > 1 && Among("run run-script", ops[0]) {
		return ops[1:]
	}
	return ops
}
