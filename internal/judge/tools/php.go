package tools

const phpunitDry = "--list-tests --list-suites --list-groups --list-test-files --list-tests-xml --check-version --generate-configuration --migrate-configuration -h"

var phpTools = []Tool{
	{Names: "php", Versioned: true, Installed: true, Does: Subject | Variable, Subs: []Sub{{"-r", Program}}, Script: &Interpreter{Takes: "-I -C", Text: "eErn"}},
	{
		Names: "composer", Picks: npmPicks, Installed: true, Ecosystem: "php", Chooses: 1, Does: Subject, Project: "-d --working-dir", Subs: []Sub{{"test", Tests | Runner}, {"install", Installs | Testless}, {"require", Installs}, {"outdated|audit", Asks}},
		Spell: composerScript, Writes: taskWrites,
		Targets: &Targets{Files: "composer.json", Form: ComposerJSON, Verb: "run run-script", Calls: "composer|composer run|composer run-script", Quiet: true},
	},
	{Names: "phpunit", Picks: phpunitPicks, Ecosystem: "php", Paths: true, Does: Tests | Variable | Runner | Reads, Project: "-c --configuration", Dry: phpunitDry, Output: Output{Format: "phpunit"}},
	{Names: "pest", Picks: phpunitPicks, Ecosystem: "php", Does: Tests | Runner, Dry: phpunitDry, Output: Output{Format: "phpunit"}},
	{Names: "paratest", Picks: phpunitPicks, Ecosystem: "php", Does: Tests, Dry: phpunitDry, Output: Output{Format: "phpunit"}},
	{Names: "artisan", Picks: artisanPicks, Ecosystem: "php", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Format: "phpunit"}},
	{Names: "sail", Picks: artisanPicks, Ecosystem: "php", Subs: []Sub{{"test", Tests}}, Output: Output{Format: "phpunit"}},
	{Names: "codecept", Picks: codeceptPicks, Ecosystem: "php", Subs: []Sub{{"run", Tests}}, Output: Output{Format: "phpunit"}},
	{Names: "behat", Picks: cucumberPicks, Ecosystem: "php", Does: Tests, Output: Output{Format: "cucumber"}},
}

var php = Ecosystem{
	Name: "php", Title: "PHP", Extensions: "php",
	Roots: "composer.json|phpunit.xml|phpunit.xml.dist", Own: "*Test *Spec *Cest",
	Cases:     `function (test\w+)\(|\b(?:it|test)\(\s*['"]([^'"]+)`,
	Skips:     `markTestSkipped|markTestIncomplete|->skip\(|->todo\(`,
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
