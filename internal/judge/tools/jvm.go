package tools

import "strings"

var jvmTools = []Tool{
	{
		Names: "mvn", Picks: mavenPicks, Aliases: "mvnw mvnd", Ecosystem: "java", Does: Subject | Variable, Subs: []Sub{{"test|verify|package|install", Tests | Runner}, {"compile", Testless}},
		Takes: "-f --file -pl --projects -P --activate-profiles -s --settings", Project: "-f --file",
		Dry: "-v -h", DryFlag: mavenSkips, DryEnv: "MAVEN_ARGS MAVEN_OPTS JAVA_TOOL_OPTIONS", Writes: taskWrites,
		Output: Output{Format: "maven compiler"},
	},
	{
		Names: "gradle", Picks: gradlePicks, Aliases: "gradlew", Ecosystem: "java", Does: Subject | Variable, Subs: []Sub{{"test|check|build", Tests | Runner}, {"tasks", Testless}}, Spell: gradleTasks,
		Takes: "-p --project-dir -b --build-file -c --settings-file -x --exclude-task -I --init-script --tests", Folder: "-p --project-dir", Project: "-b --build-file -c --settings-file",
		Dry: "-m -h --tasks --test-dry-run", DrySubs: "help", DryFlag: gradleSkips, Writes: taskWrites,
		Output: Output{Format: "gradle compiler"},
	},
	{Names: "sbt", Ecosystem: "java", Subs: []Sub{{"test", Tests | Runner}}, Writes: taskWrites, Output: Output{Format: "sbt"}},
	{Names: "java", Subs: []Sub{{"-version", Testless}}},
	{Names: "ktlint", Rewrites: &Rewrites{With: lintFixes + " -F --format"}},
}

const (
	mavenCounts  = "mvn test|mvn verify|mvn package|mvn install"
	gradleFiles  = "build.gradle|build.gradle.kts"
	gradleCounts = "gradle test|gradle check|gradle build"
)

var java = Ecosystem{
	Name: "java", Title: "Java", Extensions: "java kt kts scala groovy",
	Roots: "pom.xml|build.gradle|build.gradle.kts|build.sbt", Own: "*Test *Tests *IT *Spec Test* *TestCase",
	Cases:     `@(?:Test|ParameterizedTest|RepeatedTest|Property)\b[^{;]*?(?:void|fun) (\w+)\s*\(`,
	Skips:     `@Disabled|@Ignore\b|\bassume(?:True|False)\(`,
	Tests:     "**/*Test.java **/*Tests.java **/*Test.kt",
	Manifests: "pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts libs.versions.toml build.sbt", Resolve: "build the project", Resolvers: "mvn|gradle|sbt",
	Projects: []Project{
		{Files: []string{"pom.xml", "mvnw"}, Run: "./mvnw test", Counts: mavenCounts},
		{Files: []string{"pom.xml"}, Run: "mvn test", Counts: mavenCounts, Whole: "mvnw"},
		{Files: []string{gradleFiles + "|settings.gradle|settings.gradle.kts", "gradlew"}, Run: "./gradlew test", Counts: gradleCounts},
		{Files: []string{gradleFiles}, Run: "gradle test", Counts: gradleCounts, Whole: "gradlew"},
		{Files: []string{"build.sbt"}, Run: "sbt test", Counts: "sbt test"},
	},
}

// SkipsTests lists the flags by which a build leaves its tests out. The build
// itself is done, so a pattern of the program alone is met.
const SkipsTests = "-x --exclude-task -DskipTests -Dmaven.test.skip"

func mavenSkips(_ Call, f Flag) string {
	if Among("-DskipTests -Dmaven.test.skip", f.Name) && f.Value != "false" {
		return f.Name
	}
	return ""
}

func gradleSkips(_ Call, f Flag) string {
	if Among("-x --exclude-task", f.Name) && Among("test check :test", f.Value) {
		return f.Name
	}
	return ""
}

// gradleTasks names the tasks of sub-projects (:app:test) and of variants
// (testDebugUnitTest) as those of the whole.
func gradleTasks(ops []string) []string {
	tasks := make([]string, len(ops))
	for i, op := range ops {
		tasks[i] = op[strings.LastIndexByte(op, ':')+1:]
		if strings.HasPrefix(tasks[i], "test") && strings.HasSuffix(tasks[i], "UnitTest") {
			tasks[i] = "test"
		}
	}
	return tasks
}
