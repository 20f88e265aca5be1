package tools

// anyFormats are those of all runners, for a tool that runs others. Of two that
// could read a line the first does.
func anyFormats() []format {
	var all []format
	for _, f := range [...]func() format{
		ginkgoFormat, goFormat, pytestFormat, unittestFormat, jestFormat, vitestFormat, bunFormat, uvuFormat, playwrightFormat, avaFormat, mochaFormat, jasmineFormat, karmaFormat, denoFormat,
		cargoFormat, rspecFormat, minitestFormat, cucumberFormat, phpunitFormat, mavenFormat, gradleFormat, sbtFormat, dotnetFormat, swiftFormat, zigFormat,
		ctestFormat, gtestFormat, exunitFormat, dartFormat, bustedFormat, testthatFormat, juliaFormat, forgeFormat, proveFormat, clojureFormat, haskellFormat, bazelFormat, batsFormat,
		environmentsFormat, checkFormat, compilerFormat, tapFormat,
	} {
		all = append(all, f())
	}
	return all
}
